import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

const KINDS = ["span", "error", "loss"] as const

export function tailCommand(parser: Argv): Argv {
  return parser.command(
    "tail [filter]",
    "Print spans, errors and losses as they come",
    (command) =>
      withConnection(command)
        .positional("filter", { type: "string", default: "", describe: "Which traces, in the filter language" })
        .option("json", { type: "boolean", default: false, describe: "A line of JSON each; spans as OTLP/JSON" })
        .option("only", { choices: KINDS, array: true, default: KINDS, describe: "What is printed" })
        .example("$0 tail", "Everything")
        .example("$0 tail 'service:shop status:error' --only span", "Spans of failed traces of one service"),
    async (options) => {
      const { tail } = await import("../tail.ts")
      const stop = new AbortController()
      process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort())
      await tail(options, stop.signal)
      process.exit()
    },
  )
}
