import type { PageSettings } from "../../page-settings.ts"

/** Where a page sends to, as far as it knows. Before the settings have come only the build's tunnel is known. */
export class Destination {
  readonly #builtTunnel: string | undefined
  #settings: PageSettings | undefined

  constructor(builtTunnel: string | undefined) {
    this.#builtTunnel = builtTunnel
  }

  get settings(): PageSettings | undefined {
    return this.#settings
  }

  learn(settings: PageSettings): void {
    this.#settings = settings
  }

  /** Same-origin path that takes envelopes and OTLP/JSON. */
  get tunnel(): string | undefined {
    return this.#settings === undefined ? this.#builtTunnel : this.#settings.tunnel
  }

  /** Where an envelope goes that no Sentry client sends. */
  get envelopeUrl(): string | undefined {
    return this.tunnel ?? (this.#settings?.dsn && ingestUrl(this.#settings.dsn))
  }

  get otlpUrl(): string | undefined {
    return this.tunnel ?? this.#settings?.otlp
  }
}

/** @see https://develop.sentry.dev/sdk/foundations/transport/authentication/ */
function ingestUrl(dsn: string): string {
  const { origin, pathname, username } = new URL(dsn)
  const path = pathname.replace(/\/([^/]+)\/?$/, "/api/$1/envelope/")
  return `${origin}${path}?sentry_version=7&sentry_key=${username}`
}
