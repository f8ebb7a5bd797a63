import { z } from "zod"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Inspector } from "../inspector.ts"
import type { Run, RunCopy } from "../queries/list/run.ts"
import { momentOrAge } from "../queries/list/time-range.ts"
import { parseJson, readText } from "./read-json.ts"
import { json, noContent, problem, respond, respondToAction } from "./respond.ts"

/** Characters of the longest name and filter, escaped. */
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

/** `GET /api/runs`: the retained runs, with what the store retains of each. */
export function listRuns(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    const copies = new Map((await queries.runCopies()).map((copy) => [copy.run, copy]))
    const runs = await queries.runs()
    return json({ runs: runs.map((run) => runToJson(run, copies.get(run.name))) })
  })
}

/** `POST /api/runs`: retains a run, by default all traces from now on; or ends one. Only pages of this origin may. */
export function createRun(inspector: Inspector, request: Request): Promise<Response> {
  return respondToAction(inspector, request, "POST", async () => {
    const body = await readText(request, BODY_LIMIT)
    if (body === undefined) return problem(413, `A run has at most ${BODY_LIMIT} characters.`)
    const parsed = runRequest.safeParse(parseJson(body))
    if (!parsed.success) return problem(400, `The run is invalid: ${z.prettifyError(parsed.error)}`)
    const { name, filter = "", since = fromMilliseconds(Date.now()), until, end } = parsed.data
    if (end === true) return (await inspector.runs.end(name, Date.now())) ? noContent() : unknownRun(name)
    try {
      await inspector.runs.retain({ name, filter, since, until })
      return noContent()
    } catch (error) {
      // By name: the start command and the screens are bundled apart, so each has a class of its own.
      if (error instanceof Error && error.name === "RunRefused") return problem(400, error.message)
      throw error
    }
  })
}

/** `DELETE /api/runs/{name}`: forgets the run; its traces expire like all others from then on. 404 when the run is unknown. */
export function deleteRun(inspector: Inspector, request: Request, name: string): Promise<Response> {
  return respondToAction(inspector, request, "DELETE", async () =>
    (await inspector.runs.remove(name)) ? noContent() : unknownRun(name),
  )
}

function unknownRun(name: string): Response {
  return problem(404, `No run has the name ${JSON.stringify(name.slice(0, 100))}.`)
}

function runToJson({ name, filter, since, until }: Run, copy: RunCopy | undefined) {
  const { traces = 0, spans = 0, isFull = false } = copy ?? {}
  return {
    name,
    filter,
    sinceUnixNano: String(since),
    untilUnixNano: until === undefined ? null : String(until),
    retained: { traces, spans, isFull },
  }
}
