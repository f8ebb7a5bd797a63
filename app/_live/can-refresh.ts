import { isLeaving } from "#app/_live/leaving.ts"
import { liveFeed } from "#app/_live/live-feed.ts"

/**
 * Whether a refresh makes sense now: the inspector answers, and the router is not on its way to another page.
 *
 * Next replaces a screen whose refresh fails by the browser's error page, so a screen is not refreshed while the inspector is
 * stopped. An open live connection answers without a request. A refresh during a navigation would wait for it, and then query
 * the new page a second time.
 */
export async function canRefresh(): Promise<boolean> {
  const answers = liveFeed.status().state === "live" || (await isInspectorUp())
  return answers && !isLeaving()
}

async function isInspectorUp(): Promise<boolean> {
  try {
    await fetch("/health", { cache: "no-store" })
    return true
  } catch {
    return false
  }
}
