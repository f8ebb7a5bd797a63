"use client"

import Link from "next/link"
import { ItemCuts } from "#app/_items/item-cuts.tsx"
import { formatBytes } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { eventOfSpan } from "#otel/inspector/queries/trace/event-of-span.ts"
import { type Asked, useAsked } from "../_state/use-json.ts"
import styles from "./span-panel.module.css"

export type EventAnswer = Asked<{ readonly items: readonly ItemJson[] }>

/** Spans that are only passed by with the arrow keys are not asked for. */
const STAYED_MS = 200

/**
 * The Sentry event that brought the span, asked for after it.
 *
 * @param path the span and those that it ran in, the nearest first; empty where Sentry brought none of it.
 */
export function useSentryEvent(traceId: string, path: readonly string[]): EventAnswer {
  return useAsked(path.length === 0 ? undefined : `/api/items?trace=${traceId}&span=${path.join(",")}`, STAYED_MS)
}

export function eventIn(answer: EventAnswer, path: readonly string[]): ItemJson | undefined {
  return typeof answer === "object" ? eventOfSpan(path, answer.value.items) : undefined
}

/** Which event that was, and what was cut of it. */
export function SentryEvent({ answer, path }: { answer: EventAnswer; path: readonly string[] }) {
  if (answer === undefined || answer === "asking") return null
  if (answer === "failed") return <p className={styles.kept}>The Sentry event could not be read.</p>
  const event = eventIn(answer, path)
  if (event === undefined)
    return (
      <p className={styles.kept}>
        No transaction event brought it: Sentry’s SDK sent it as a span of its own, which is all there is of it.
      </p>
    )
  return (
    <>
      <p>
        Came in {path[0] === event.spanId ? "the" : "a"} transaction event of {formatBytes(event.byteLength)}
        {event.sdk !== "" && <> from {shownName(event.sdk)}</>}
        {event.eventId !== null && (
          <>
            , event <code>{event.eventId}</code>
          </>
        )}
        . Its child spans are rows of this trace.
      </p>
      {event.cuts.length === 0 ? (
        <p className={styles.kept}>Nothing was cut or refused when it was read.</p>
      ) : (
        <>
          <p>
            When it was read, this was cut or refused, and counted under <Link href="/dropped">Drops</Link>:
          </p>
          <ItemCuts cuts={event.cuts} />
        </>
      )}
    </>
  )
}
