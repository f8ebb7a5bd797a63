import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText, sourceName } from "#app/_ui/format/text.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { protocolDiff, type ProtocolPair } from "#otel/inspector/queries/trace/protocol-diff.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { type EventResult, SentryEvent } from "./sentry-event.tsx"
import styles from "./delivery.module.css"

interface DeliveryProps {
  /** The span as received over each protocol, OTLP first. */
  readonly versions: readonly SpanDetail[]
  readonly errors: readonly ErrorMark[]
  readonly event: EventResult
  /** Ids of the span and its ancestors, nearest first; empty if the span did not arrive via Sentry. */
  readonly path: readonly string[]
}

/** Protocols that delivered the span; with both, how their versions differ. */
export function Delivery({ versions, errors, event, path }: DeliveryProps) {
  const [first, second] = versions
  if (first === undefined) return null
  return (
    <section>
      <h3>Delivery</h3>
      {second === undefined ? (
        <OneProtocol span={first} errors={errors} />
      ) : (
        <BothProtocols otlp={first} sentry={second} />
      )}
      <SentryEvent answer={event} path={path} />
    </section>
  )
}

function OneProtocol({ span, errors }: { span: SpanDetail; errors: readonly ErrorMark[] }) {
  const { attributes, events, links } = span.dropped
  const other = span.source === "otlp" ? "sentry" : "otlp"
  return (
    <p>
      Received via {sourceName(span.source)} only, not via {sourceName(other)}.
      {attributes + events + links > 0 &&
        ` The sender dropped ${formatCount(attributes)} attributes, ${formatCount(events)} events and ${formatCount(links)} links.`}
      {errors.length > 0 && ` ${countOf(errors.length, "error event")} received.`}
    </p>
  )
}

function BothProtocols({ otlp, sentry }: { otlp: SpanDetail; sentry: SpanDetail }) {
  const pairs = protocolDiff(otlp, sentry)
  const differing = pairs.filter(({ isSame }) => !isSame)
  const onlyOtlp = differing.filter((pair) => pair.sentry === undefined).length
  const onlySentry = differing.filter((pair) => pair.otlp === undefined).length
  const changed = differing.length - onlyOtlp - onlySentry
  return (
    <>
      <p>
        Received via OTLP and Sentry: {formatCount(changed)} fields differ, {formatCount(onlyOtlp)} only in OTLP,{" "}
        {formatCount(onlySentry)} only in Sentry.
      </p>
      <details className={styles.details}>
        <summary>Side by side</summary>
        <ScrollBox label="Side by side" sideways>
          <table className={styles.compared}>
            <thead>
              <tr>
                <th scope="col">Field</th>
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
      <td>{otlp === undefined ? <small>absent</small> : shownText(otlp)}</td>
      <td>{sentry === undefined ? <small>absent</small> : shownText(sentry)}</td>
    </tr>
  )
}
