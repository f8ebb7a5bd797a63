import type { SpanRecord } from "../model/span.ts"
import { fromMilliseconds, type Nanoseconds } from "../model/time.ts"
import type { Admission, AdmissionDesk } from "./admission.ts"
import type { DoorContext, Handled } from "./otlp-door.ts"

/** A record may start this far ahead of our clock: the largest time zone mistake, and then some. */
const FUTURE_LIMIT_MS = 24 * 60 * 60 * 1_000

/** What a door that keeps records needs. */
/** What a door has taken and acknowledged, for whoever passes it on: spans, or an envelope as it came. */
export type Taken = { readonly spans: readonly SpanRecord[] } | { readonly envelope: Uint8Array }

export interface RecordsContext extends DoorContext {
  /** Never throws. */
  readonly onTaken: (taken: Taken) => void
  readonly desk: AdmissionDesk
  readonly clock: () => number
}

/** Records that start after this are rejected. */
export function latestTime({ clock }: RecordsContext): Nanoseconds {
  return fromMilliseconds(clock() + FUTURE_LIMIT_MS)
}

/** OTLP's answer to records that were not admitted: `what` names them in words. */
export function refusedRecords(
  { reason, retryAfterSeconds }: Admission & { outcome: "refused" },
  lostCount: number,
  what: "spans" | "log records",
): Handled {
  const refusal =
    retryAfterSeconds === undefined
      ? ({ status: 413, reason, message: `${lostCount} ${what} are too many for one request.` } as const)
      : ({
          status: 503,
          reason,
          message: `${capital(what)} cannot be taken now. Send again later.`,
          retryAfterSeconds,
        } as const)
  return { ok: false, refusal, lostCount }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
