import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function importCommand(parser: Argv): Argv {
  return parser.command(
    "import <files..>",
    "Take in files of OTLP/JSON: spans and logs, JSON lines or one text, gzip too",
    (command) =>
      withConnection(command)
        .positional("files", { type: "string", array: true, demandOption: true, describe: "Paths; - is the input" })
        .example("$0 import traces.jsonl", "What export or the Collector's file exporter wrote"),
    async (options) => {
      const { importFiles } = await import("../import-files.ts")
      await importFiles(options)
    },
  )
}
