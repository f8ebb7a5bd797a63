export { Journal } from "./journal.ts"
export type { Replay } from "./replay.ts"
