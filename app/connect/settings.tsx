import { CodeBlock } from "#app/connect/code-block.tsx"
import type { InspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import styles from "./connect-view.module.css"

/** What this Pagespan was started with, as far as it helps to connect. Secrets are told as being there, never as they are. */
export interface ConnectSettings {
  readonly internalServices: readonly string[]
  readonly origins: readonly string[]
  readonly spotlightPort: number | undefined
  readonly hasToken: boolean
  /** Collectors that all goes on to, without user, password, path and query. */
  readonly collectors: readonly string[]
  /** Host of the Sentry that all goes on to. */
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
      <h2 id="origins">Pages of other origins</h2>
      <p>
        Pages on this machine may send, whatever their port, and pages of this address.{" "}
        {origins.length === 0 ? "No other origin may." : "Beside them these origins may:"}
      </p>
      {origins.length > 0 && (
        <ul className={styles.list} aria-label="Origins that may send">
          {origins.map((origin) => (
            <li key={origin}>
              <code>{origin}</code>
            </li>
          ))}
        </ul>
      )}
      <p>To add one, start Pagespan with the whole list. A page that was refused shows up among the drops.</p>
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
      <h2 id="forwarding">Forwarding on</h2>
      <p>
        {targets.length === 0
          ? "What arrives stays here. It can go on to collectors and to a Sentry project as well:"
          : "What arrives also goes on to:"}
      </p>
      {targets.length > 0 && (
        <ul className={styles.list} aria-label="Where it goes on to">
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
# only for collectors at private addresses:
PAGESPAN_FORWARD_ALLOWED_ADDRESSES=10.0.0.0/8`}
        what="forwarding variables"
      />
    </section>
  )
}
