import type { Argv } from "yargs"

export function startCommand(parser: Argv): Argv {
  return parser.command(
    "$0",
    "Start the inspector: OTLP on 4318 and 4317, Spotlight on 8969, screens on 4318",
    (command) =>
      command
        .option("port", { type: "number", describe: "Port of screens, OTLP/HTTP and Sentry envelopes (PORT)" })
        .option("host", { type: "string", describe: "Address to listen on; not loopback: needs PAGESPAN_TOKEN (HOST)" })
        .option("data", { type: "string", describe: "Directory of the records (PAGESPAN_DATA)" })
        .option("open", { type: "boolean", default: true, describe: "Open a browser, on a desktop" })
        .example("$0", "The inspector on http://localhost:4318")
        .example("$0 --no-open --data /tmp/spans", "Without a browser, with its records elsewhere"),
    async (options) => {
      const { start } = await import("../start.ts")
      await start(options)
    },
  )
}
