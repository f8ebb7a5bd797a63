export { Journal } from "./journal.ts"
export type { Place } from "./reader.ts"
export type { Replay } from "./replay.ts"
