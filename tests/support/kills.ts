/** The number of times that a crash test kills its program, each time at another moment. The promise is tested with `KILLS=200`. */
export const KILLS = Number(process.env["KILLS"] ?? 20)
