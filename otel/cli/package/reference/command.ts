import { createParser } from "../../parser.ts"
import { GENERATED } from "./markdown.ts"

const COMMANDS = [
  "",
  "run",
  "record",
  "tail",
  "last",
  "open",
  "import",
  "export",
  "assert",
  "clear",
  "mcp",
  "init",
  "doctor",
  "sourcemaps",
]

/** `docs/reference/command.md` */
export async function commandPage(): Promise<string> {
  const sections: string[] = []
  for (const name of COMMANDS) {
    const help = await createParser(name === "" ? [] : [name]).getHelp()
    sections.push(`## pagespan${name && ` ${name}`}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`)
  }
  return `# Command
${GENERATED}
Run \`npx pagespan\`, or \`pagespan\` where the package is installed. The commands \`tail\`, \`last\`, \`open\`, \`import\`, \`export\`,
\`assert\`, \`clear\`, \`mcp\` and \`sourcemaps --to inspector\` talk to a running inspector; \`assert --budgets\` with \`--file\` or a program
behind \`--\` needs none.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | an assertion failed, the inspector could not start, \`doctor\` found a problem, you declined a confirmation, or \`sourcemaps\` found no source map to upload |
| 2 | an invalid command, option or filter; of \`sourcemaps\`: no build, or a setting of Sentry that is missing |
| 3 | no inspector answered, or it requires another token; of \`doctor\`: no app answered; of \`sourcemaps\`: no Sentry answered |
| 4 | the inspector refused the request: an unknown trace, rejected records; of \`last\` and \`export\`: no trace matches; of \`sourcemaps\`: Sentry refused the upload |
| other | of \`run\`, \`record\` and \`assert --budgets\` with a program: the exit code of the program, of \`assert\` if the program failed; 127 if it was not found, 128 + n if signal n ended it |

\`run\`, \`record\` and \`assert --budgets\` set these variables for their program, unless they are set: \`OTEL_EXPORTER_OTLP_ENDPOINT\`,
\`OTEL_EXPORTER_OTLP_PROTOCOL\` (\`http/protobuf\`), \`SENTRY_SPOTLIGHT\`, \`NEXT_PUBLIC_SENTRY_SPOTLIGHT\` and
\`SENTRY_TRACES_SAMPLE_RATE\` (\`1.0\`). They add \`pagespan.run\` to \`OTEL_RESOURCE_ATTRIBUTES\`.

Install the completion script with \`pagespan completion >> ~/.bashrc\` for bash, or \`>> ~/.zshrc\` for zsh.

${sections.join("\n")}`
}
