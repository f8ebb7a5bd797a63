import { setTimeout as delay } from "node:timers/promises"
import type { LogJson } from "../../inspector/queries/logs/log-json.ts"
import type { InspectorClient } from "../inspector-client.ts"
import { KnownItems } from "../known-items.ts"
import type { Connection } from "../options.ts"
import { logLine } from "../terminal.ts"

interface TailLogsOptions extends Connection {
  readonly filter: string
  readonly json: boolean
}

/** Time between two polls. A log that arrived is in the store within this time. */
const POLL_MS = 500
/** The number of logs per poll. */
const PAGE_SIZE = 1_000
/** A log may arrive this much later than others of its time. */
const LATE_MS = 60_000

/** `pagespan tail --logs`: prints the logs that arrive from now on, until Ctrl-C. */
export async function tailLogs({ filter, json, ...connection }: TailLogsOptions, signal: AbortSignal): Promise<void> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const known = new KnownItems<LogJson>()
  let isFirst = true
  while (!signal.aborted) {
    // The first page is there already. Without an inspector it rejects; a later one is polled again.
    const page = isFirst ? await newest(client, filter) : await newest(client, filter).catch(() => undefined)
    if (page !== undefined) {
      const news = known.newAmong(page, ({ logId }) => logId)
      if (!isFirst) for (const log of news) console.log(json ? JSON.stringify({ type: "log", ...log }) : logLine(log))
      if (!isFirst && news.length === PAGE_SIZE) console.error("pagespan: more logs arrived than are printed")
      isFirst = false
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

function newest(client: InspectorClient, filter: string): Promise<readonly LogJson[]> {
  const since = new Date(Date.now() - LATE_MS).toISOString()
  return client.logs({ limit: String(PAGE_SIZE), since, ...(filter !== "" && { q: filter }) })
}
