/** How often a crash test kills its program, each time at another moment. `KILLS=200` is what is promised; the suite has less time. */
export const KILLS = Number(process.env["KILLS"] ?? 20)
