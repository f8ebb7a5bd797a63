import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function assertCommand(parser: Argv): Argv {
  return parser.command(
    "assert <filter>",
    "Check in a test which traces have come: exit code 1 when it does not hold",
    (command) =>
      withConnection(command)
        .positional("filter", { type: "string", demandOption: true, describe: "Which traces, in the filter language" })
        .option("count", { type: "string", default: ">=1", describe: "How many: '>=1', '0', '<5', '3..5'" })
        .option("max-duration", { type: "string", describe: "None longer than this, like 500ms" })
        .option("within", {
          type: "string",
          default: "10s",
          describe: "How long to wait for it; what may not come is watched for as long",
        })
        .option("since", { type: "string", describe: "Only traces that began since, like 5m" })
        .example("$0 assert 'route:/checkout' --max-duration 2s", "At least one, none slower")
        .example("$0 assert 'run:e2e status:error' --count 0 --within 3s", "No failed trace in a run"),
    async (options) => {
      const { assertTraces } = await import("../assert-traces.ts")
      await assertTraces(options)
    },
  )
}
