"use client"

import Link from "next/link"
import { ItemCuts } from "#app/_items/item-cuts.tsx"
import { formatBytes } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { eventOfSpan } from "#otel/inspector/queries/trace/event-of-span.ts"
import { type JsonResult, useJson } from "../_state/use-json.ts"
import styles from "./span-panel.module.css"

export type EventResult = JsonResult<{ readonly items: readonly ItemJson[] }>

/** Delay in milliseconds, so that moving through the tree with arrow keys sends no requests. */
const SETTLED_MS = 200

/**
 * Fetches the Sentry event that contained the span.
 *
 * @param path ids of the span and its ancestors, nearest first; empty if the span did not arrive via Sentry.
 */
export function useSentryEvent(traceId: string, path: readonly string[]): EventResult {
  return useJson(path.length === 0 ? undefined : `/api/items?trace=${traceId}&span=${path.join(",")}`, SETTLED_MS)
}

export function eventIn(answer: EventResult, path: readonly string[]): ItemJson | undefined {
  return typeof answer === "object" ? eventOfSpan(path, answer.value.items) : undefined
}

/** The event that contained the span, and what was truncated at ingest. */
export function SentryEvent({ answer, path }: { answer: EventResult; path: readonly string[] }) {
  if (answer === undefined || answer === "loading") return null
  if (answer === "failed") return <p className={styles.note}>The Sentry event could not be loaded.</p>
  const event = eventIn(answer, path)
  if (event === undefined)
    return <p className={styles.note}>The Sentry SDK sent it as a standalone span, without a transaction event.</p>
  return (
    <>
      <p>
        Part of {path[0] === event.spanId ? "the" : "a"} transaction event of {formatBytes(event.byteLength)}
        {event.sdk !== "" && <> from {shownName(event.sdk)}</>}
        {event.eventId !== null && (
          <>
            , event ID <code>{event.eventId}</code>
          </>
        )}
        . Its child spans are rows of this trace.
      </p>
      {event.cuts.length === 0 ? (
        <p className={styles.note}>Nothing was truncated or refused at ingest.</p>
      ) : (
        <>
          <p>
            Truncated or refused at ingest, and counted under <Link href="/dropped">Dropped</Link>:
          </p>
          <ItemCuts cuts={event.cuts} />
        </>
      )}
    </>
  )
}
