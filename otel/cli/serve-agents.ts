import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { createAgentServer } from "../mcp/server.ts"
import type { Connection } from "./connection.ts"
import { matchingTraces } from "./filter.ts"
import { InspectorClient } from "./inspector-client.ts"
import { version } from "../command/version.ts"

/** `pagespan mcp`: until the agent closes its end. Starts no inspector: where none answers, the tools say so. */
export async function serveAgents(connection: Connection): Promise<void> {
  const client = new InspectorClient(connection)
  const server = createAgentServer(
    {
      findTraces: (filter, since) => matchingTraces(client, filter, since),
      readTrace: (traceId) => client.trace(traceId),
      findErrors: (parameters) => client.errors(parameters),
      readError: (issueId) => client.issue(issueId),
      readItemsOfEvent: (eventId) => client.itemsOfEvent(eventId),
      readLosses: (limit) => client.losses(limit),
    },
    version(),
  )
  await server.connect(new StdioServerTransport())
}
