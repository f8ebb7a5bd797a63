import { liveFeed } from "#app/_live/live-feed.ts"

/**
 * Whether the inspector answers. Next replaces a screen whose refresh fails by the browser's error page, so a screen is not
 * refreshed while the inspector is stopped. An open live connection answers without a request.
 */
export async function canRefresh(): Promise<boolean> {
  if (liveFeed.status().state === "live") return true
  try {
    await fetch("/health", { cache: "no-store" })
    return true
  } catch {
    return false
  }
}
