import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { LinkDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { AttributeRows } from "./attribute-table.tsx"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"
import type { AroundAnswer } from "./span-rank.tsx"

interface LinkListProps {
  readonly links: readonly LinkDetail[]
  /** How many there are; `links` may be the first of them. */
  readonly count: number
  readonly dropped: number
}

/** Spans that this one is linked to, mostly of other traces. */
export function LinkList({ links, count, dropped }: LinkListProps) {
  if (count === 0 && dropped === 0) return null
  return (
    <Section title="Links" count={count} dropped={dropped}>
      <ul className={styles.events}>
        {links.map(({ traceId, spanId, attributes }, index) => (
          // One span may be linked to twice.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Link href={`/traces/${traceId}?span=${spanId}`} prefetch={false}>
              span <code>{spanId}</code> of trace <code>{traceId}</code>
            </Link>
            {attributes.length > 0 && <AttributeRows title={`Attributes of the link to ${spanId}`} rows={attributes} />}
          </li>
        ))}
      </ul>
      {count > links.length && (
        <p>
          <small>
            The first {formatCount(links.length)} of {formatCount(count)}.
          </small>
        </p>
      )}
    </Section>
  )
}

/** Spans that are linked to this one. Only their side tells it, so the store is asked. */
export function BackLinkList({ around }: { around: AroundAnswer }) {
  if (typeof around !== "object" || around.value.backLinks.length === 0) return null
  return (
    <Section title="Linked from" count={around.value.backLinks.length} dropped={0}>
      <ul className={styles.events}>
        {around.value.backLinks.map(({ traceId, spanId, name, service }) => (
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
