import { parseObject } from "../../../protocol/sentry/json.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse } from "../../../protocol/transport/responses.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import { guardAction, type GuardPolicy } from "../http/guards.ts"
import { openEditor, parsePlace, SourceRoot, withContextLines } from "./source-files.ts"

export interface SourceContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly drops: DropLedger
}

export interface SourceSettings {
  /** Directory whose files may be opened in an editor and shown around stack frames. Default: none. */
  readonly sourceRoot?: string | undefined
  /** Command of the editor, with `{file}`, `{line}` and `{column}`. Default: Visual Studio Code. */
  readonly editor?: string | undefined
}

/** A path with line and column; a stack trace with the text of its frames. */
const PLACE_BYTES = 4 * 1024
const STACKTRACE_BYTES = 1024 * 1024

const DEFAULT_EDITOR = "code --goto {file}:{line}:{column}"

/** Spotlight's endpoints for source files. Pages of other origins are refused. */
export interface SourceHandlers {
  /** `POST /open`: opens the editor at `file:line:column`. 204. */
  open(request: HandlerRequest): Promise<Response>
  /** `PUT /contextlines`: returns the stack trace of the body with context lines. */
  contextLines(request: HandlerRequest): Promise<Response>
}

const NO_ROOT: Refusal = {
  status: 403,
  reason: "unsupported",
  message: "Source files are not configured. Start the inspector with PAGESPAN_SOURCE_ROOT set to their directory.",
}
const NOT_WITHIN: Refusal = {
  status: 403,
  reason: "invalid",
  message: "No such source file in PAGESPAN_SOURCE_ROOT.",
}
const NO_STACKTRACE: Refusal = { status: 400, reason: "malformed", message: "The body is not a JSON stack trace." }
const NO_EDITOR: Refusal = {
  status: 500,
  reason: "invalid",
  message: "The editor could not be started. Set PAGESPAN_EDITOR to its command.",
}

export function sourceHandlers({ policy, bodies, drops }: SourceContext, settings: SourceSettings): SourceHandlers {
  const root = new SourceRoot(settings.sourceRoot)
  const handler = (
    method: "POST" | "PUT",
    limitBytes: number,
    handle: (body: Buffer) => Promise<Response | Refusal>,
  ) => {
    return async (request: HandlerRequest): Promise<Response> => {
      const refusal = guardAction(request, policy, method)
      if (refusal !== undefined) {
        countRefusal(drops, refusal, "default")
        return refusalResponse(refusal)
      }
      if (!root.isConfigured) return refusalResponse(NO_ROOT)
      const body = await readBody(request, { memory: bodies, limitBytes })
      const outcome = body.ok ? await handle(Buffer.from(body.bytes)) : body.refusal
      // No record was refused, so nothing counts as dropped.
      return outcome instanceof Response ? outcome : refusalResponse(outcome)
    }
  }
  return {
    open: handler("POST", PLACE_BYTES, async (body) => {
      const place = parsePlace(body.toString())
      const file = place === undefined ? undefined : await root.find(place.file)
      if (place === undefined || file === undefined) return NOT_WITHIN
      const isOpen = await openEditor(settings.editor ?? DEFAULT_EDITOR, { ...place, file })
      return isOpen ? new Response(null, { status: 204, headers: DYNAMIC_HEADERS }) : NO_EDITOR
    }),
    contextLines: handler("PUT", STACKTRACE_BYTES, async (body) => {
      const stacktrace = parseObject(body)
      if (stacktrace === undefined) return NO_STACKTRACE
      return Response.json(await withContextLines(stacktrace, root), { headers: DYNAMIC_HEADERS })
    }),
  }
}
