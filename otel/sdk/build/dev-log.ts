import type { NextConfig } from "next"
import type { BuildManifest } from "../routes/build-manifest.ts"

/**
 * Leaves the requests of pages to the tunnel out of the log of `next dev`, where each view of a page would print several lines.
 * What the app has set for its log stays.
 */
export function withoutTunnelLines(
  { logging }: NextConfig,
  { tunnel, basePath }: BuildManifest,
): Pick<NextConfig, "logging"> {
  const requests = typeof logging === "object" ? logging.incomingRequests : undefined
  const isLogged = process.env.NODE_ENV === "development" && logging !== false && typeof requests !== "boolean"
  if (tunnel === undefined || !isLogged) return {}
  // Next copies the configuration, and of a regular expression its source alone.
  const toTunnel = new RegExp(`^${literal(withoutSlash(`${basePath}${tunnel}`))}/?(?:\\?|$)`)
  const ignore = [...(requests?.ignore ?? []), toTunnel]
  return { logging: { ...logging, incomingRequests: { ...requests, ignore } } }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}

/** The source of a regular expression that matches the text. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
