import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import type { Argv } from "yargs"
import { createMcpServer } from "../../inspector/mcp/server.ts"
import { type Connection, withConnection } from "../connection.ts"
import { matchingTraces } from "../filter.ts"
import { InspectorClient } from "../inspector-client.ts"
import { version } from "../server/version.ts"

export function mcpCommand(parser: Argv): Argv {
  return parser.command(
    "mcp",
    "Serve coding agents over standard input and output, by the Model Context Protocol",
    (command) => withConnection(command).example("$0 mcp", "As the command of an agent's MCP server"),
    async (options) => {
      const { serveAgents } = await import("./mcp.ts")
      await serveAgents(options)
    },
  )
}

/** `pagespan mcp`: until the agent closes its end. Starts no inspector: where none answers, the tools say so. */
export async function serveAgents(connection: Connection): Promise<void> {
  const client = new InspectorClient(connection)
  const server = createMcpServer(
    {
      traces: (filter, since) => matchingTraces(client, filter, since),
      trace: (traceId) => client.trace(traceId),
      errors: (parameters) => client.errors(parameters),
      issue: (issueId) => client.issue(issueId),
      itemsOfEvent: (eventId) => client.itemsOfEvent(eventId),
      drops: (limit) => client.drops(limit),
    },
    version(),
  )
  await server.connect(new StdioServerTransport())
}
