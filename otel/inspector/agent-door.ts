import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { TraceId } from "../model/ids.ts"
import type { AgentReader } from "../mcp/agent-reader.ts"
import { createAgentServer } from "../mcp/server.ts"
import { parseFilter, pointAtProblem } from "../query/filter/index.ts"
import type { IssueJson, LossJson } from "../wire/issue-json.ts"
import type { ItemJson } from "../wire/item-json.ts"
import type { TraceSummaryJson } from "../wire/trace-summary-json.ts"
import type { Inspector } from "./inspector.ts"
import { listItemsDoor } from "./item-api.ts"
import { listTracesDoor } from "./read-api.ts"
import { issueDoor, listIssuesDoor } from "./read-errors.ts"
import { listLossesDoor } from "./read-losses.ts"

/** What an agent asks is a few hundred bytes. */
const REQUEST_BYTES = 256 * 1024
/** As many traces as the read API gives on a page. */
const PAGE = "1000"
/** By these the read API knows who asks. */
const IDENTIFYING = ["host", "authorization", "cookie"]

type Door = (inspector: Inspector, request: Request) => Promise<Response>

/**
 * `POST /mcp`: the tools of `pagespan mcp` over HTTP. Each request is answered by itself: there is no session that could
 * be lost, and no stream that a `GET` could open.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function agentDoor(inspector: Inspector, request: Request, version: string): Promise<Response> {
  const refusal = inspector.receiver.guardAction(request, "POST")
  if (refusal !== undefined) return refusal
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: REQUEST_BYTES,
  })
  const server = createAgentServer(readerOf(inspector, request), version)
  await server.connect(transport)
  return transport.handleRequest(request)
}

/** Reads as the agent could by itself: what it may not see is refused to it here as well. */
function readerOf(inspector: Inspector, { headers }: Request): AgentReader {
  const identity = Object.fromEntries(IDENTIFYING.map((name) => [name, headers.get(name) ?? ""]).filter(([, it]) => it))
  const ask = async (door: Door, parameters: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const url = `http://server.invalid/?${new URLSearchParams(parameters)}`
    const answer = await door(inspector, new Request(url, { headers: identity }))
    const told = (await answer.json()) as { message?: string }
    if (!answer.ok) throw new Error(told.message ?? `The inspector answered ${answer.status}.`)
    return told
  }
  return {
    async findTraces(q, since) {
      const { problem } = parseFilter(q)
      if (problem !== undefined) throw new Error(pointAtProblem(q, problem))
      const parameters = { q, limit: PAGE, ...(since === undefined ? {} : { since }) }
      return ((await ask(listTracesDoor, parameters)) as { traces: TraceSummaryJson[] }).traces
    },
    readTrace: (traceId) => inspector.traces.readTrace(traceId.toLowerCase() as TraceId),
    findErrors: async (parameters) => ((await ask(listIssuesDoor, parameters)) as { issues: IssueJson[] }).issues,
    readError: (issueId) => ask((opened, asked) => issueDoor(opened, asked, issueId)),
    readItemsOfEvent: async (event) => ((await ask(listItemsDoor, { event })) as { items: ItemJson[] }).items,
    readLosses: async (limit) =>
      ((await ask(listLossesDoor, { limit: String(limit) })) as { losses: LossJson[] }).losses,
  }
}
