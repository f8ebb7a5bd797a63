import type { PageSettings } from "../../page-settings.ts"

/** Where a page delivers to, as far as it knows. Before it has its settings, it knows only the tunnel of the build. */
export class Destination {
  settings: PageSettings | undefined
  /** Path on this origin that accepts envelopes and OTLP/JSON. `undefined` too once something else answers in its place. */
  tunnel: string | undefined

  /** @param builtTunnel the tunnel of the build, which holds until the settings are known. */
  constructor(builtTunnel: string | undefined) {
    this.tunnel = builtTunnel
  }

  adopt(settings: PageSettings): void {
    this.settings = settings
    this.tunnel = settings.tunnel
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
