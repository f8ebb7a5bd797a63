import { z } from "zod"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import type { Run, RunCopy } from "../queries/list/run.ts"
import { momentOrAge } from "../queries/list/time-range.ts"
import { problem, read } from "./traces.ts"

/** `GET /api/runs`, `POST /api/runs`, `DELETE /api/runs/{name}`: the runs that are kept. Pages of this origin alone may change them. */

/** A name and a filter at their longest, escaped. */
const BODY_LIMIT = 32_768

const moment = z.string().transform((text, context) => {
  const time = momentOrAge(text, Date.now())
  if (time === undefined) context.addIssue(`“${text}” is neither an age like 15m nor a time like 2026-01-31T12:00:00Z`)
  return time
})

const runRequest = z.strictObject({
  name: z.string(),
  filter: z.string().optional(),
  since: moment.optional(),
  until: moment.optional(),
  /** Ends the run of this name now. */
  end: z.literal(true).optional(),
})

export function listRunsHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async ({ traces }) => {
    const copies = new Map((await traces.listCopies()).map((copy) => [copy.run, copy]))
    const runs = (await inspector.runs.refresh()).map((run) => runToJson(run, copies.get(run.name)))
    return Response.json({ runs }, { headers: DYNAMIC_HEADERS })
  })
}

/** Keeps a run: from now on, or of the time and filter given. */
export function retainRunHandler(inspector: Inspector, request: Request): Promise<Response> {
  return act(inspector, request, "POST", async () => {
    const body = await bodyText(request)
    if (body === undefined) return problem(413, `A run takes at most ${BODY_LIMIT} characters.`)
    const parsed = runRequest.safeParse(jsonOf(body))
    if (!parsed.success) return problem(400, `The run cannot be read: ${z.prettifyError(parsed.error)}`)
    const { name, filter = "", since = fromMilliseconds(Date.now()), until, end } = parsed.data
    if (end === true) return (await inspector.runs.end(name, Date.now())) ? done() : unknownRun(name)
    await inspector.runs.keep({ name, filter, since, until })
    return done()
  })
}

/** Removes the name; its traces go with the retention from then on. */
export function removeRunHandler(inspector: Inspector, request: Request, name: string): Promise<Response> {
  return act(inspector, request, "DELETE", async () =>
    (await inspector.runs.remove(name)) ? done() : unknownRun(name),
  )
}

async function act(
  inspector: Inspector,
  request: Request,
  method: "POST" | "DELETE",
  work: () => Promise<Response>,
): Promise<Response> {
  const refusal = inspector.receiver.guardAction(request, method)
  if (refusal !== undefined) return refusal
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Known by their names: start command and screens are bundled apart, so the classes thrown are not the ones here.
    if (error.name === "RunRefused") return problem(400, error.message)
    if (error.name !== "StoreUnavailable") throw error
    return problem(503, inspector.store.problem ?? "The store is starting.")
  }
}

/** `undefined` for a longer one, of which no more is read. */
async function bodyText(request: Request): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > BODY_LIMIT) return undefined
  }
  return text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema says what is wanted instead.
    return undefined
  }
}

function done(): Response {
  return new Response(null, { status: 204, headers: DYNAMIC_HEADERS })
}

function unknownRun(name: string): Response {
  return problem(404, `No run is called ${JSON.stringify(name.slice(0, 100))}.`)
}

function runToJson({ name, filter, since, until }: Run, copy: RunCopy | undefined) {
  const { traces = 0, spans = 0, isFull = false } = copy ?? {}
  return {
    name,
    filter,
    sinceUnixNano: String(since),
    untilUnixNano: until === undefined ? null : String(until),
    kept: { traces, spans, isFull },
  }
}
