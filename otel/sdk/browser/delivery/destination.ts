import type { PageSettings } from "../../page-settings.ts"

/** Where a page delivers to, as far as it knows. Before it has its settings, it knows only the tunnel of the build. */
export class Destination {
  settings: PageSettings | undefined
  readonly #builtTunnel: string | undefined
  #isMisrouted = false

  constructor(builtTunnel: string | undefined) {
    this.#builtTunnel = builtTunnel
  }

  /** Path on this origin that accepts envelopes and OTLP/JSON. */
  get tunnel(): string | undefined {
    if (this.#isMisrouted) return undefined
    return this.settings === undefined ? this.#builtTunnel : this.settings.tunnel
  }

  /** From now on this document sends nothing to the tunnel: something else answers in its place. */
  abandonTunnel(): void {
    this.#isMisrouted = true
  }

  get envelopeUrl(): string | undefined {
    return this.tunnel ?? (this.settings?.dsn && ingestUrl(this.settings.dsn))
  }

  get otlpUrl(): string | undefined {
    return this.tunnel ?? this.settings?.otlp
  }
}

/** @see https://develop.sentry.dev/sdk/foundations/transport/authentication/ */
function ingestUrl(dsn: string): string {
  const { origin, pathname, username } = new URL(dsn)
  const path = pathname.replace(/\/([^/]+)\/?$/, "/api/$1/envelope/")
  return `${origin}${path}?sentry_version=7&sentry_key=${username}`
}
