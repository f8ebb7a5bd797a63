import type { Secret } from "../model/secret.ts"
import type { Host } from "./host.ts"

/** A ClickHouse server or cluster that others run: there is nothing to start and nothing to stop. */
export function serverHost(url: Secret): Host {
  return {
    start: (listener) => listener.up({ url, embedded: false }),
    stop: () => Promise.resolve(),
  }
}
