import type { Secret } from "../../protocol/secret.ts"

/** Where a ClickHouse HTTP interface answers. The URL may hold credentials, so it is a secret. */
export interface Endpoint {
  readonly url: Secret
  /** Password of user `default`, where the URL holds no credentials. */
  readonly password?: Secret
  /** Whether it is the embedded engine, which is ours alone. */
  readonly embedded: boolean
}

export interface HostListener {
  /** ClickHouse answers there, until `down` says otherwise. */
  up(endpoint: Endpoint): void
  /** It is away and will be tried again. The reason is one line for people. */
  down(reason: string): void
  /** It can never be. */
  impossible(reason: string): void
}

/** Something that runs ClickHouse for the store: a process of ours, or a server elsewhere. */
export interface Host {
  start(listener: HostListener): void
  stop(): Promise<void>
}

/** A ClickHouse server or cluster that others run: there is nothing to start and nothing to stop. */
export function serverHost(url: Secret): Host {
  return {
    start: (listener) => listener.up({ url, embedded: false }),
    stop: () => Promise.resolve(),
  }
}
