"use client"

import { useCallback, useEffect, useRef, useState } from "react"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import { useLive } from "#app/_live/use-live.ts"
import { useRefresh } from "#app/_live/use-refresh.ts"
import { LOGS_REPLICATED_MS, LOGS_TOGETHER_MS, useDebounced } from "#app/_live/use-debounced.ts"
import { logCursor } from "#otel/inspector/queries/logs/log-cursor.ts"
import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"
import { logListOf, shown, withNewerLogs, withNewest, withOlderLogs } from "./log-list-state.ts"

/** Least time between two counts of the histogram. */
const REFRESH_MS = 3_000
/** Newest logs that a request has. More that arrive between two requests leave a gap. */
const NEWEST = 500
/** Rows that are loaded again at once, after they left the list. */
const NEWER = 200

export interface LiveLogsOptions {
  /** The page from the server; a new object for each query. */
  readonly logs: readonly LogJson[]
  readonly next: string | undefined
  readonly place: ListPlace
  /** Further parameters of a request for logs. */
  readonly parameters: string
  /** Whether the user is reading, so that rows must not move. */
  readonly reading: boolean
  /** False for an older page, or one that ends in the past, which does not update. */
  readonly isLive: boolean
}

/** The list of logs, changed by what arrives, older pages and the user. */
export function useLiveLogs({ logs, next, place, parameters, isLive, ...options }: LiveLogsOptions) {
  const [list, setList] = useState(() => logListOf(logs, next !== undefined))
  // Nobody reads an empty list.
  const reading = (options.reading && list.rows.length > 0) || list.hasNewer
  const refresh = useRefresh(REFRESH_MS, reading || !isLive)
  const address = `${listAddress({ ...place, limit: NEWEST, after: undefined }, "/api/logs")}${parameters}`
  const latest = useRef({ reading })
  useEffect(() => {
    latest.current = { reading }
  })

  const [readFrom, setReadFrom] = useState(logs)
  if (readFrom !== logs) {
    setReadFrom(logs)
    setList((before) => withNewest(before, logs, next !== undefined, reading))
  }
  const [wasReading, setWasReading] = useState(reading)
  if (wasReading !== reading) {
    setWasReading(reading)
    if (!reading) setList(shown)
  }

  const load = useCallback(async () => {
    const page = await pageOf(address)
    if (page === undefined) return
    setList((before) => withNewest(before, page.logs, page.next !== null, latest.current.reading))
  }, [address])
  const loadSoon = useDebounced(load, LOGS_TOGETHER_MS)
  const loadLater = useDebounced(load, LOGS_REPLICATED_MS)
  const arrived = () => {
    if (!isLive) return
    loadSoon()
    loadLater()
    refresh()
  }
  useLive({ logs: arrived, resumed: arrived })

  const last = list.rows.at(-1)
  const addOlder = (older: readonly LogJson[], following: string | undefined) =>
    setList((before) => withOlderLogs(before, { logs: older, nextTo: last, hasMore: following !== undefined }))
  /** Loads logs before the first row that have left the list. */
  const loadNewer = async () => {
    const [nextTo] = list.rows
    if (nextTo === undefined) return
    const from = listAddress({ ...place, limit: NEWER, after: logCursor(nextTo) }, "/api/logs")
    const page = await pageOf(`${from}&order=oldest${parameters}`)
    if (page === undefined) return
    setList((before) => withNewerLogs(before, { logs: page.logs, nextTo, hasMore: page.next !== null }))
  }
  /** Shows what waited; where newer logs have left the list, the newest of all. */
  const showNew = async () => {
    const page = list.hasNewer ? await pageOf(address) : undefined
    setList((before) => (page === undefined ? shown(before) : logListOf(page.logs, page.next !== null)))
  }
  const end = list.hasOlder && last !== undefined ? logCursor(last) : undefined
  return { list, end, showNew, addOlder, loadNewer }
}

async function pageOf(address: string) {
  try {
    const response = await fetch(address)
    return response.ok ? ((await response.json()) as { logs: readonly LogJson[]; next: string | null }) : undefined
  } catch {
    // The next log that arrives requests them again.
    return undefined
  }
}
