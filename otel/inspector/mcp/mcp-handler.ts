import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { TraceId } from "../../protocol/records/ids.ts"
import { listDropsHandler } from "../api/drops.ts"
import { issueHandler, listIssuesHandler } from "../api/errors.ts"
import { listItemsHandler } from "../api/items.ts"
import { listTracesHandler } from "../api/traces.ts"
import type { Inspector } from "../inspector.ts"
import type { ItemJson } from "../queries/errors/envelope-items.ts"
import type { IssueJson, DropJson } from "../queries/errors/issue.ts"
import type { TraceSummaryJson } from "../queries/list/trace-summary.ts"
import { parseFilter, pointAtProblem } from "../search/index.ts"
import type { AgentReader } from "./agent-reader.ts"
import { createMcpServer } from "./server.ts"

/** What an agent asks is a few hundred bytes. */
const REQUEST_BYTES = 256 * 1024
/** As many traces as the read API gives on a page. */
const PAGE = "1000"
/** By these the read API knows who asks. */
const IDENTIFYING = ["host", "authorization", "cookie"]

type Handler = (inspector: Inspector, request: Request) => Promise<Response>

/**
 * `POST /mcp`: the tools of `pagespan mcp` over HTTP. Each request is answered by itself: there is no session that could
 * be lost, and no stream that a `GET` could open.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function mcpHandler(inspector: Inspector, request: Request, version: string): Promise<Response> {
  const refusal = inspector.receiver.guardAction(request, "POST")
  if (refusal !== undefined) return refusal
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: REQUEST_BYTES,
  })
  const server = createMcpServer(readerOf(inspector, request), version)
  await server.connect(transport)
  return transport.handleRequest(request)
}

/** Reads as the agent could by itself: what it may not see is refused to it here as well. */
function readerOf(inspector: Inspector, { headers }: Request): AgentReader {
  const identity = Object.fromEntries(IDENTIFYING.map((name) => [name, headers.get(name) ?? ""]).filter(([, it]) => it))
  const ask = async (handler: Handler, parameters: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const url = `http://server.invalid/?${new URLSearchParams(parameters)}`
    const answer = await handler(inspector, new Request(url, { headers: identity }))
    const told = (await answer.json()) as { message?: string }
    if (!answer.ok) throw new Error(told.message ?? `The inspector answered ${answer.status}.`)
    return told
  }
  return {
    async findTraces(q, since) {
      const { problem } = parseFilter(q)
      if (problem !== undefined) throw new Error(pointAtProblem(q, problem))
      const parameters = { q, limit: PAGE, ...(since === undefined ? {} : { since }) }
      return ((await ask(listTracesHandler, parameters)) as { traces: TraceSummaryJson[] }).traces
    },
    readTrace: (traceId) => inspector.traces.readTrace(traceId.toLowerCase() as TraceId),
    findErrors: async (parameters) => ((await ask(listIssuesHandler, parameters)) as { issues: IssueJson[] }).issues,
    readError: (issueId) => ask((opened, asked) => issueHandler(opened, asked, issueId)),
    readItemsOfEvent: async (event) => ((await ask(listItemsHandler, { event })) as { items: ItemJson[] }).items,
    readDrops: async (limit) =>
      ((await ask(listDropsHandler, { limit: String(limit) })) as { drops: DropJson[] }).drops,
  }
}
