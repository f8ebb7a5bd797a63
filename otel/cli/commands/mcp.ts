import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function mcpCommand(parser: Argv): Argv {
  return parser.command(
    "mcp",
    "Serve coding agents over standard input and output, by the Model Context Protocol",
    (command) => withConnection(command).example("$0 mcp", "As the command of an agent's MCP server"),
    async (options) => {
      const { serveAgents } = await import("../serve-agents.ts")
      await serveAgents(options)
    },
  )
}
