import { liveFeed } from "#app/_live/live-feed.ts"
import { measuredText, thresholdText } from "#app/_watch/watch-text.ts"
import type { WatchState } from "#otel/inspector/queries/saved-filters/watch-state.ts"

/** Whether this browser notifies about watches. `unsupported` also outside of secure contexts. */
export type NotificationChoice = "on" | "off" | "denied" | "unsupported"

const STORAGE_KEY = "pagespan.notifications"
const watchers = new Set<() => void>()

export function watchChoice(watcher: () => void): () => void {
  watchers.add(watcher)
  addEventListener("storage", watcher)
  return () => {
    watchers.delete(watcher)
    removeEventListener("storage", watcher)
  }
}

export function notificationChoice(): NotificationChoice {
  if (typeof Notification === "undefined" || !isSecureContext) return "unsupported"
  if (Notification.permission === "denied") return "denied"
  return Notification.permission === "granted" && stored() === "on" ? "on" : "off"
}

/** Asks for the permission where it is missing. Call it on a click only. */
export async function chooseNotifications(isOn: boolean): Promise<void> {
  if (isOn && Notification.permission === "default") await Notification.requestPermission()
  try {
    localStorage.setItem(STORAGE_KEY, isOn ? "on" : "off")
  } catch {
    // Where storage is blocked, nothing is remembered and notifications stay off.
  }
  for (const watcher of watchers) watcher()
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/** Notifies about watches that were known and have tripped since. What had tripped before the page was opened is on the page. */
export function notifyTripped(before: readonly WatchState[], after: readonly WatchState[]): void {
  if (notificationChoice() !== "on") return
  for (const watch of after) {
    const known = before.find(({ id }) => id === watch.id)
    if (watch.state === "tripped" && known !== undefined && known.state !== "tripped") notify(watch)
  }
}

/** Tabs use the same tag, so the browser shows one notification for all of them. */
function notify(watch: WatchState): void {
  const { id, name, measure, value, address } = watch
  try {
    const body = `${value === null ? "" : `${measuredText(measure, value)}, `}${thresholdText(watch)}`
    const notification = new Notification(name, { body, tag: `pagespan ${id}` })
    notification.addEventListener("click", () => {
      window.focus()
      location.assign(address)
    })
  } catch {
    // Some mobile browsers have notifications for service workers only. The badge remains.
  }
}

/**
 * Follows the watches while the tab is hidden, when the live feed is closed. Browsers allow six connections to an origin, so
 * one hidden tab does it for all: the one that holds the lock.
 */
export function followWhileHidden(): () => void {
  const stop = new AbortController()
  let tab: AbortController | undefined
  const follow = () => {
    tab?.abort()
    tab = undefined
    if (document.visibilityState !== "hidden" || notificationChoice() !== "on") return
    tab = new AbortController()
    const { signal } = tab
    void navigator.locks.request("pagespan.watches", { signal }, () => watchesUntil(signal)).catch(() => undefined)
  }
  document.addEventListener("visibilitychange", follow, { signal: stop.signal })
  return () => {
    stop.abort()
    tab?.abort()
  }
}

function watchesUntil(signal: AbortSignal): Promise<void> {
  const source = new EventSource("/live?watches=only")
  source.addEventListener("watches", ({ data }) => liveFeed.receiveWatches(String(data)))
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      source.close()
      resolve()
    })
  })
}
