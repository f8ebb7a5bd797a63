import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { LinkDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { AttributeRows } from "./attribute-table.tsx"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"
import type { ContextResult } from "./span-rank.tsx"

interface LinkListProps {
  readonly links: readonly LinkDetail[]
  /** Total number; `links` may hold only the first. */
  readonly count: number
  readonly dropped: number
}

/** Links of the span, mostly to other traces. */
export function LinkList({ links, count, dropped }: LinkListProps) {
  if (count === 0 && dropped === 0) return null
  return (
    <Section title="Links" count={count} dropped={dropped}>
      <ul className={styles.events}>
        {links.map(({ traceId, spanId, attributes }, index) => (
          // A span may be linked twice.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Link href={`/traces/${traceId}?span=${spanId}`} prefetch={false}>
              Span <code>{spanId}</code> in trace <code>{traceId}</code>
            </Link>
            {attributes.length > 0 && <AttributeRows title={`Attributes of the link to ${spanId}`} rows={attributes} />}
          </li>
        ))}
      </ul>
      {count > links.length && (
        <p>
          <small>
            First {formatCount(links.length)} of {formatCount(count)}.
          </small>
        </p>
      )}
    </Section>
  )
}

/** Spans that link to this one. Only the linking span stores the link, so the store is queried. */
export function BackLinkList({ context }: { context: ContextResult }) {
  if (typeof context !== "object" || context.value.backLinks.length === 0) return null
  return (
    <Section title="Linked from" count={context.value.backLinks.length} dropped={0}>
      <ul className={styles.events}>
        {context.value.backLinks.map(({ traceId, spanId, name, service }) => (
          <li key={`${traceId} ${spanId}`}>
            <Link href={`/traces/${traceId}?span=${spanId}`} prefetch={false}>
              {shownName(name)}
            </Link>{" "}
            <small>{shownName(service)}</small>
          </li>
        ))}
      </ul>
    </Section>
  )
}
