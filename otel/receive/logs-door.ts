import type { DoorRequest } from "./door-request.ts"
import { fromMilliseconds } from "../model/time.ts"
import { decodeLogs, type OtlpEncoding } from "../wire/otlp/index.ts"
import { type Handled, otlpDoor, refuseUndecodable } from "./otlp-door.ts"
import { partialSuccess } from "./partial-success.ts"
import { latestTime, type RecordsContext, refusedRecords } from "./records-context.ts"

/** `POST /v1/logs`. Logs that tell of an exception are errors as well. */
export function logsDoor(context: RecordsContext): (request: DoorRequest) => Promise<Response> {
  return otlpDoor(context, "logs", (body, encoding) => takeLogs(context, body, encoding))
}

/** An `ExportLogsServiceRequest`, whichever way it came. */
export async function takeLogs(context: RecordsContext, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled> {
  const decoded = decodeLogs(body, encoding, {
    latest: latestTime(context),
    receivedAt: fromMilliseconds(context.clock()),
    maxLogs: context.desk.spanLimit,
  })
  if (!decoded.ok) return refuseUndecodable(decoded)
  const { logs, errors, losses } = decoded
  const admission = await context.desk.admit({ logs, errors })
  // A refused batch comes again with its bad records, which are then counted once.
  if (admission.outcome === "refused") return refusedRecords(admission, logs.length, "log records")
  for (const loss of losses) context.losses.record("door", loss)
  return { ok: true, partial: partialSuccess(losses, { category: "log_item", one: "log record", many: "log records" }) }
}
