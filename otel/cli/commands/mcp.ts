import type { Argv } from "yargs"
import { type Connection, withConnection } from "../options.ts"
import { version } from "../version.ts"

export function mcpCommand(parser: Argv): Argv {
  return parser.command(
    "mcp",
    "Serve coding agents over standard input and output with the Model Context Protocol",
    (command) => withConnection(command).example("$0 mcp", "As the command of an agent's MCP server"),
    (options) => serveAgents(options),
  )
}

/** `pagespan mcp`: runs until the agent closes its end. It starts no inspector: without one, every tool answers with an error. */
async function serveAgents(connection: Connection): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js")
  const { createMcpServer } = await import("../../inspector/mcp/server.ts")
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const server = createMcpServer(
    {
      traces: (filter, since) => client.matchingTraces(filter, { since }),
      differences: (parameters) => client.differences(parameters),
      trace: (traceId) => client.trace(traceId),
      span: (traceId, spanId) => client.span(traceId, spanId),
      findings: (traceId) => client.findings(traceId),
      errors: (parameters) => client.errors(parameters),
      issue: (issueId) => client.issue(issueId),
      itemsOfEvent: (eventId) => client.itemsOfEvent(eventId),
      logs: (traceId, query) => client.logs(query, traceId),
      compare: (parameters) => client.compare(parameters),
      services: (parameters) => client.services(parameters),
      service: (name, parameters) => client.service(name, parameters),
      session: (sessionId) => client.session(sessionId),
      budgets: (request) => client.budgets(request),
      drops: (limit) => client.drops(limit),
    },
    version(),
  )
  await server.connect(new StdioServerTransport())
}
