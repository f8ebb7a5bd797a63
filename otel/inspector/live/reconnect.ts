import { Backoff, LIVE_BACKOFF } from "../../protocol/transport/backoff.ts"

/** The waits of a screen between its attempts to open `GET /live` again. */
export function reconnectBackoff(): Backoff {
  return new Backoff(LIVE_BACKOFF)
}
