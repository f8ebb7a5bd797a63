import Link from "next/link"
import { ItemCuts } from "#app/_items/item-cuts.tsx"
import { ItemFile, ItemList } from "#app/_items/item-list.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { isoTime } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { RawParts } from "#app/_ui/layout/raw-parts.tsx"
import { Breadcrumbs } from "#app/errors/[issueId]/_event/breadcrumbs.tsx"
import { JsonTree } from "#app/errors/[issueId]/_event/json-tree.tsx"
import { TracePlace } from "#app/errors/[issueId]/_event/trace-place.tsx"
import { ExceptionChain } from "#app/errors/[issueId]/_exception/exception-chain.tsx"
import { EventBar } from "#app/errors/[issueId]/event-bar.tsx"
import { IssueHeader } from "#app/errors/[issueId]/issue-header.tsx"
import { LogsBefore } from "#app/errors/[issueId]/logs-before.tsx"
import type { ReadIssue } from "#app/errors/[issueId]/read-issue.ts"
import { ServerCauseNote } from "#app/errors/[issueId]/server-cause.tsx"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import { errorMarkdown, errorText } from "#otel/inspector/queries/errors/error-text.ts"
import { attributesToJson } from "#otel/inspector/queries/records.ts"
import styles from "./issue-view.module.css"

const EVENT_MISSING = "The event in this address is not stored, or belongs to another issue. This is the newest event."

export function IssueView(props: ReadIssue & { own: InternalTelemetry; renderedAt: number }) {
  const { issue, event, exceptions, cause, others, path, renderedAt } = props
  const raw = props.items.find(({ type }) => type === "event")
  const related = props.items.filter((item) => item !== raw)
  const time = isoTime(event.time)
  const crumbs: unknown = parsed(event.breadcrumbs)
  const request: unknown = parsed(event.request)
  const { user, contexts, extra } = (parsed(event.context) ?? {}) as Record<string, unknown>
  const parts: readonly JsonPart[] = [
    ["Request", request],
    ["User", user],
    ["Tags", tagsOf(event.tags)],
    ["Contexts", contexts],
    ["Extra", extra],
    ["Fingerprint", event.fingerprint.length === 0 ? undefined : event.fingerprint],
  ]
  return (
    <RefreshOnLive own={props.own}>
      {props.isEventMissing && <Notices notices={[EVENT_MISSING]} />}
      <article className={styles.issue} aria-label={shownName(issue.title)}>
        <p className={styles.back}>
          <Link href="/errors">← All errors</Link>
        </p>
        <IssueHeader {...props} />
        <EventBar issue={issue} event={event} position={props.position} sessionId={props.sessionId}>
          <CopyButton text={errorText(event, exceptions, time)} what="as text" visibleWhat />
          <CopyButton text={errorMarkdown(event, exceptions, time)} what="as Markdown" visibleWhat />
        </EventBar>
        {cause !== undefined && <ServerCauseNote cause={cause} />}
        <Part title="Exception">
          <ExceptionChain exceptions={exceptions} />
        </Part>
        <Part title="Trace">
          <TracePlace event={event} path={path} others={others} />
        </Part>
        {event.traceId !== undefined && (
          <Part title="Logs">
            <LogsBefore lines={props.logs} traceId={event.traceId} time={String(event.time)} />
          </Part>
        )}
        {related.length > 0 && (
          <Part title="Feedback and attachments">
            <div className={styles.items}>
              <ItemList items={related} renderedAt={renderedAt} withoutTrace />
            </div>
          </Part>
        )}
        {Array.isArray(crumbs) && crumbs.length > 0 && (
          <Part title="Breadcrumbs">
            <Breadcrumbs crumbs={crumbs} />
          </Part>
        )}
        <JsonParts parts={parts} />
        {raw !== undefined && <RawEvent item={raw} />}
      </article>
    </RefreshOnLive>
  )
}

type JsonPart = readonly [title: string, value: unknown]

/** Parts of the event as names and values; empty ones are left out. */
function JsonParts({ parts }: { parts: readonly JsonPart[] }) {
  return parts.map(([title, value]) =>
    isEmpty(value) ? null : (
      <Part key={title} title={title}>
        <JsonTree value={value} />
      </Part>
    ),
  )
}

/** The event as the SDK sent it. */
function RawEvent({ item }: { item: ItemJson }) {
  return (
    <Part title="Sentry event">
      <p className={styles.source}>
        As sent by {shownName(item.sdk || "the SDK")}: <ItemFile item={item} />
      </p>
      <ItemCuts cuts={item.cuts} />
      <RawParts
        key={item.itemId}
        summary="Raw JSON"
        parts={[{ title: "Event, as sent", address: `/api/items/${item.itemId}` }]}
      />
    </Part>
  )
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  const id = `part-${title.toLowerCase().replaceAll(" ", "-")}`
  return (
    <section aria-labelledby={id} className={styles.part}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** Tags as JSON values; 64-bit numbers stay strings. */
function tagsOf(tags: ReadIssue["event"]["tags"]): Record<string, unknown> {
  const entries = attributesToJson(tags).map(({ key, value }) => {
    const [only] = Object.values(value ?? {})
    return [key, typeof only === "object" ? value : only] as const
  })
  return Object.fromEntries(entries)
}

/** Parses JSON that the store wrote, which is bounded. */
function parsed(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text)
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === "object" && Object.keys(value).length === 0
}
