import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function exportCommand(parser: Argv): Argv {
  return parser.command(
    "export <what>",
    "Write traces as OTLP/JSON, a line each",
    (command) =>
      withConnection(command)
        .positional("what", { type: "string", demandOption: true, describe: "A trace id, or a filter" })
        .option("output", { alias: "o", type: "string", describe: "A file instead of the output" })
        .example("$0 export 'status:error' -o failed.jsonl", "The failed traces")
        .example("$0 export 4bf92f3577b34da6a3ce929d0e0e4736", "One trace"),
    async (options) => {
      const { exportTraces } = await import("../export-traces.ts")
      await exportTraces(options)
    },
  )
}
