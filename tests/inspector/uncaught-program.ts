import { uncaughtErrors } from "#otel/inspector/uncaught-errors.ts"

/** Counts what nothing catches. With the parameter `next` it has the listeners of Next's server, which log and go on. */
const counts = uncaughtErrors()
if (process.argv[2] === "next") {
  process.on("uncaughtException", () => undefined)
  process.on("unhandledRejection", () => undefined)
}
setTimeout(() => {
  throw new Error("thrown by a timer")
}, 1)
for (const _ of [1, 2]) setTimeout(() => void Promise.reject(new Error("rejected by a timer")), 5)
setTimeout(() => console.log(JSON.stringify(counts)), 50)
