import type { Secret } from "../../protocol/secret.ts"

/** Where a ClickHouse HTTP interface listens. The URL may hold credentials, so it is a secret. */
export interface Endpoint {
  readonly url: Secret
  /** Password of the user `default`, if the URL holds no credentials. */
  readonly password?: Secret
  /** Whether it is the embedded engine, which only Pagespan uses. */
  readonly embedded: boolean
}

export interface BackendListener {
  /** ClickHouse listens there until the next `down`. */
  up(endpoint: Endpoint): void
  /** ClickHouse is down; the backend tries again. The reason is one line for people. */
  down(reason: string): void
  /** ClickHouse can never run. The backend stops trying. */
  impossible(reason: string): void
}

/** Provides ClickHouse to the store: a process of ours (`Supervisor`), or a server. */
export interface ClickHouseBackend {
  start(listener: BackendListener): void
  /** @param limitMs milliseconds after which a process of ours is killed. Default: 10,000. */
  stop(limitMs?: number): Promise<void>
}

/** A ClickHouse server or cluster that others operate: there is nothing to start or stop. */
export function serverBackend(url: Secret): ClickHouseBackend {
  return {
    start: (listener) => listener.up({ url, embedded: false }),
    stop: () => Promise.resolve(),
  }
}
