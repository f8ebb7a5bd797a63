import { CodeBlock } from "#app/connect/code-block.tsx"
import type { InspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import styles from "./connect-view.module.css"

/** Settings of this inspector that matter for connecting. Secrets appear only as being set. */
export interface ConnectSettings {
  readonly internalServices: readonly string[]
  readonly origins: readonly string[]
  readonly spotlightPort: number | undefined
  readonly hasToken: boolean
  /** Origins of the collectors that receive a copy, without credentials, path and query. */
  readonly collectors: readonly string[]
  /** Host of the Sentry that receives a copy. */
  readonly sentryHost: string | undefined
}

export function settingsOf({
  config,
  internalServices,
}: Pick<InspectorInfo, "config" | "internalServices">): ConnectSettings {
  return {
    internalServices,
    origins: config.PAGESPAN_ALLOWED_ORIGINS,
    spotlightPort: config.PAGESPAN_SPOTLIGHT,
    hasToken: config.PAGESPAN_TOKEN !== undefined,
    collectors: config.PAGESPAN_FORWARD_OTLP.map((url) => new URL(url).origin),
    sentryHost:
      config.PAGESPAN_FORWARD_SENTRY === undefined ? undefined : new URL(config.PAGESPAN_FORWARD_SENTRY.reveal()).host,
  }
}

export function AllowedOrigins({ settings: { origins } }: { settings: ConnectSettings }) {
  return (
    <section aria-labelledby="origins">
      <h2 id="origins">Allowed origins</h2>
      <p>
        Pages on localhost, on any port, and pages of this origin can send.{" "}
        {origins.length === 0 ? "No other origin is allowed." : "These origins are allowed as well:"}
      </p>
      {origins.length > 0 && (
        <ul className={styles.list} aria-label="Allowed origins">
          {origins.map((origin) => (
            <li key={origin}>
              <code>{origin}</code>
            </li>
          ))}
        </ul>
      )}
      <p>To add an origin, start Pagespan with the full list. Refused pages are counted under Dropped.</p>
      <CodeBlock
        code={`PAGESPAN_ALLOWED_ORIGINS=${[...origins, "https://app.example"].join(",")}`}
        what="origins variable"
      />
    </section>
  )
}

export function Forwarding({ settings: { collectors, sentryHost } }: { settings: ConnectSettings }) {
  const targets = [
    ...collectors.map((origin) => ({ what: "OpenTelemetry", where: origin })),
    ...(sentryHost === undefined ? [] : [{ what: "Sentry", where: sentryHost }]),
  ]
  return (
    <section aria-labelledby="forwarding">
      <h2 id="forwarding">Forwarding</h2>
      <p>
        {targets.length === 0
          ? "Nothing is forwarded. To forward to collectors and to a Sentry project, set:"
          : "Pagespan forwards spans and logs that arrive over OTLP to each target, and Sentry envelopes to Sentry only:"}
      </p>
      {targets.length > 0 && (
        <ul className={styles.list} aria-label="Forwarding targets">
          {targets.map(({ what, where }) => (
            <li key={`${what} ${where}`}>
              {what}: <code>{where}</code>
            </li>
          ))}
        </ul>
      )}
      <CodeBlock
        code={`PAGESPAN_FORWARD_OTLP=https://collector.example:4318
PAGESPAN_FORWARD_SENTRY=https://key@sentry.example/42
# required for collectors at private addresses:
PAGESPAN_FORWARD_ALLOWED_ADDRESSES=10.0.0.0/8`}
        what="forwarding variables"
      />
    </section>
  )
}
