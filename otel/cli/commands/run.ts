import type { Argv } from "yargs"

export function runCommand(parser: Argv): Argv {
  return parser.command(
    "run",
    "Start a program that reports here, once the doors are open",
    (command) =>
      command
        .usage("$0 run [options] -- <command>")
        .option("port", { type: "number", describe: "Port of the inspector (PORT)" })
        .option("data", { type: "string", describe: "Directory of the records (PAGESPAN_DATA)" })
        .option("name", { type: "string", describe: "Name of the run, to find it with run:<name>" })
        .option("keep", { type: "boolean", default: false, describe: "Keep the inspector until Ctrl-C" })
        .example("$0 run -- npm run dev", "An app with an OpenTelemetry or Sentry SDK")
        .example("$0 run --name e2e -- npx playwright test", "Then: pagespan assert 'run:e2e status:error' --count 0"),
    async ({ "--": words = [], ...options }) => {
      const { runProgram } = await import("../run-program.ts")
      process.exit(await runProgram({ ...options, command: words as string[] }))
    },
  )
}
