import type { Argv } from "yargs"

export function initCommand(parser: Argv): Argv {
  return parser.command(
    "init [directory]",
    "Add Pagespan to a Next.js app: shows the edits first, and asks",
    (command) =>
      command
        .positional("directory", { type: "string", default: ".", describe: "The app" })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask" })
        .option("dry-run", { type: "boolean", default: false, describe: "Only show" })
        .example("$0 init", "Shows what it would change, and asks")
        .example("$0 init --dry-run", "Changes nothing"),
    async (options) => {
      const { init } = await import("../init-app.ts")
      await init(options)
    },
  )
}
