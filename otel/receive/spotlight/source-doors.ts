import { parseObject } from "../../wire/sentry/index.ts"
import { DYNAMIC_HEADERS, refusalResponse } from "../answer.ts"
import type { BodyMemory } from "../body-memory.ts"
import { countRefusal } from "../count-refusal.ts"
import type { DoorRequest } from "../door-request.ts"
import { type GuardPolicy, guardAction } from "../guard.ts"
import type { LossLedger } from "../loss-ledger.ts"
import { readBody } from "../read-body.ts"
import type { Refusal } from "../refusal.ts"
import { withContextLines } from "./context-lines.ts"
import { openEditor, parsePlace } from "./editor.ts"
import { SourceRoot } from "./source-root.ts"

export interface SourceContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly losses: LossLedger
}

export interface SourceSettings {
  /** Folder whose files may be opened in an editor and shown around stack frames. Default: none may. */
  readonly sourceRoot?: string | undefined
  /** The editor's command, with `{file}`, `{line}` and `{column}`. Default: Visual Studio Code's. */
  readonly editor?: string | undefined
}

const DEFAULT_EDITOR = "code --goto {file}:{line}:{column}"

/** Spotlight's doors to source files, for pages of this host and for programs that are no page. */
export interface SourceDoors {
  /** `POST /open`: opens the editor at `file:line:column`. 204. */
  open(request: DoorRequest): Promise<Response>
  /** `PUT /contextlines`: the stack trace that was sent, with the lines around its frames. */
  contextLines(request: DoorRequest): Promise<Response>
}

const NO_ROOT: Refusal = {
  status: 403,
  reason: "not_kept",
  message: "No source files are shown here. Set PAGESPAN_SOURCE_ROOT to the folder that they are in.",
}
const NOT_WITHIN: Refusal = {
  status: 403,
  reason: "invalid",
  message: "There is no such file within PAGESPAN_SOURCE_ROOT.",
}
const NO_STACKTRACE: Refusal = { status: 400, reason: "malformed", message: "The body is not a stack trace in JSON." }
const NO_EDITOR: Refusal = {
  status: 500,
  reason: "invalid",
  message: "The editor could not be started. Set PAGESPAN_EDITOR to its command.",
}

export function sourceDoors({ policy, bodies, losses }: SourceContext, settings: SourceSettings): SourceDoors {
  const root = new SourceRoot(settings.sourceRoot)
  const door = (method: "POST" | "PUT", handle: (body: Buffer) => Promise<Response | Refusal>) => {
    return async (request: DoorRequest): Promise<Response> => {
      const refusal = guardAction(request, policy, method)
      if (refusal !== undefined) {
        countRefusal(losses, refusal, "default")
        return refusalResponse(refusal)
      }
      if (!root.isConfigured) return refusalResponse(NO_ROOT)
      const body = await readBody(request, { memory: bodies })
      const outcome = body.ok ? await handle(Buffer.from(body.bytes)) : body.refusal
      // What is not found was no record, and so is no loss.
      return outcome instanceof Response ? outcome : refusalResponse(outcome)
    }
  }
  return {
    open: door("POST", async (body) => {
      const place = parsePlace(body.toString())
      const file = place === undefined ? undefined : await root.find(place.file)
      if (place === undefined || file === undefined) return NOT_WITHIN
      const isOpen = await openEditor(settings.editor ?? DEFAULT_EDITOR, { ...place, file })
      return isOpen ? new Response(null, { status: 204, headers: DYNAMIC_HEADERS }) : NO_EDITOR
    }),
    contextLines: door("PUT", async (body) => {
      const stacktrace = parseObject(body)
      if (stacktrace === undefined) return NO_STACKTRACE
      return Response.json(await withContextLines(stacktrace, root), { headers: DYNAMIC_HEADERS })
    }),
  }
}
