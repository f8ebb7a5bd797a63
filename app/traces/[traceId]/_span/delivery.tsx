import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { sourceName } from "#app/_ui/format/text.ts"
import { type ProtocolPair, protocolDiff } from "#otel/inspector/queries/trace/protocol-diff.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { type EventAnswer, SentryEvent } from "./sentry-event.tsx"
import styles from "./span-panel.module.css"

interface DeliveryProps {
  /** As each protocol told it, OTLP first. */
  readonly told: readonly SpanDetail[]
  readonly errors: readonly ErrorMark[]
  readonly event: EventAnswer
  /** The span and those that it ran in, the nearest first; empty where Sentry brought none of it. */
  readonly path: readonly string[]
}

/** By which way the span came, and where it came both ways: what differs, and what one of them cut. */
export function Delivery({ told, errors, event, path }: DeliveryProps) {
  const [first, second] = told
  if (first === undefined) return null
  return (
    <section>
      <h3>Delivery</h3>
      {second === undefined ? <OneWay span={first} errors={errors} /> : <BothWays otlp={first} sentry={second} />}
      <SentryEvent answer={event} path={path} />
    </section>
  )
}

function OneWay({ span, errors }: { span: SpanDetail; errors: readonly ErrorMark[] }) {
  const { attributes, events, links } = span.dropped
  const other = span.source === "otlp" ? "sentry" : "otlp"
  return (
    <p>
      Came by {sourceName(span.source)} alone; {sourceName(other)} has not brought this span.
      {attributes + events + links > 0 &&
        ` Its sender left out ${formatCount(attributes)} attributes, ${formatCount(events)} events and ${formatCount(links)} links.`}
      {errors.length > 0 && ` ${countOf(errors.length, "error event")} of it came as well.`}
    </p>
  )
}

function BothWays({ otlp, sentry }: { otlp: SpanDetail; sentry: SpanDetail }) {
  const pairs = protocolDiff(otlp, sentry)
  const differing = pairs.filter(({ isSame }) => !isSame)
  const onlyOtlp = differing.filter((pair) => pair.sentry === undefined).length
  const onlySentry = differing.filter((pair) => pair.otlp === undefined).length
  const changed = differing.length - onlyOtlp - onlySentry
  return (
    <>
      <p>
        Came by OTLP and by Sentry: {formatCount(changed)} told differently, {formatCount(onlyOtlp)} by OTLP alone,{" "}
        {formatCount(onlySentry)} by Sentry alone.
      </p>
      <details className={styles.details}>
        <summary>Side by side</summary>
        <ScrollBox label="Side by side" sideways>
          <table className={styles.compared}>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">OTLP span</th>
                <th scope="col">Sentry span</th>
              </tr>
            </thead>
            <tbody>
              {pairs.map((pair) => (
                <PairRow key={pair.what} pair={pair} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </details>
    </>
  )
}

function PairRow({ pair: { what, otlp, sentry, isSame } }: { pair: ProtocolPair }) {
  return (
    <tr data-same={isSame}>
      <th scope="row">
        {!isSame && <b title="Differs">≠ </b>}
        <bdi>{shownName(what)}</bdi>
      </th>
      <td>{otlp === undefined ? <small>not told</small> : shownText(otlp)}</td>
      <td>{sentry === undefined ? <small>not told</small> : shownText(sentry)}</td>
    </tr>
  )
}
