import Link from "next/link"
import type { SpanDetail } from "#otel/query/span-detail.ts"
import { CloseIcon } from "#app/ui/icons.tsx"
import { shownName } from "#app/ui/shown-text.ts"
import { AttributeTable } from "./attribute-table.tsx"
import { EventList } from "./event-list.tsx"
import { LinkList } from "./link-list.tsx"
import { SpanFacts } from "./span-facts.tsx"
import styles from "./span-panel.module.css"

/** Everything that is known of one span. */
export function SpanPanel({ span }: { span: SpanDetail }) {
  return (
    <article className={styles.panel}>
      <header>
        <h2>
          <bdi>{shownName(span.name)}</bdi>
        </h2>
        <Close traceId={span.traceId} />
      </header>
      <SpanFacts span={span} />
      <EventList events={span.events} count={span.eventCount} dropped={span.dropped.events} />
      <AttributeTable title="Attributes" rows={span.attributes} dropped={span.dropped.attributes} always />
      <LinkList links={span.links} count={span.linkCount} dropped={span.dropped.links} />
      <AttributeTable title="Resource" rows={span.resource} />
      <AttributeTable title="Scope" rows={span.scope.attributes} />
    </article>
  )
}

/** The address names a span that the trace does not have. */
export function UnknownSpan({ traceId }: { traceId: string }) {
  return (
    <article className={styles.panel}>
      <header>
        <h2>This span is not here</h2>
        <Close traceId={traceId} />
      </header>
      <p>No span of this trace has the id that the address names. It may still be on the way.</p>
    </article>
  )
}

function Close({ traceId }: { traceId: string }) {
  return (
    <Link
      href={`/traces/${traceId}`}
      replace
      scroll={false}
      prefetch={false}
      className={styles.close}
      title="Close (Esc)"
    >
      <CloseIcon />
      <span className="visually-hidden">Close span</span>
    </Link>
  )
}
