import { createParser } from "../../parser.ts"
import { GENERATED } from "./markdown.ts"

const COMMANDS = ["", "run", "tail", "open", "import", "export", "assert", "clear", "mcp", "init"]

/** `docs/reference/command.md` */
export async function commandPage(): Promise<string> {
  const sections: string[] = []
  for (const name of COMMANDS) {
    const help = await createParser(name === "" ? [] : [name]).getHelp()
    sections.push(`## pagespan${name && ` ${name}`}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`)
  }
  return `# Command
${GENERATED}
\`npx pagespan\`, or \`pagespan\` where the package is installed. Every command but the first, \`run\` and \`init\` speaks to a running
inspector.

| exit code | |
|---|---|
| 0 | done |
| 1 | an assertion does not hold, or the inspector cannot start |
| 2 | a command, an option or a filter that cannot be understood |
| 3 | no inspector answers, or it asks for another token |
| 4 | the inspector answered and would not: an unknown trace, refused records |
| other | of \`run\`: the program's own; 127 where it cannot be found, 128 + n where signal n ended it |

A completion script for bash or zsh: \`pagespan completion >> ~/.bashrc\`.

${sections.join("\n")}`
}
