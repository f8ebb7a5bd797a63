import { MOMENTS } from "../../queries/list/trace-overview.ts"

/**
 * Start of the moment of a time, in milliseconds since the epoch. What is after the end counts at the end.
 *
 * @param time expression of a time in milliseconds since the epoch. @param end the same, of the end of the scope.
 */
export function momentSql(time: string, end: string): string {
  const at = `least(${time}, ${end})`
  const length = MOMENTS.reduce(
    (shorter, { ageMs, lengthMs }) => `if(${end} - ${at} >= ${ageMs}, ${lengthMs}, ${shorter})`,
    "1",
  )
  return `${at} - ${at} % ${length}`
}
