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
  const path = withoutSlash(`${basePath}${tunnel}`)
  // Next asks for regular expressions, of which it calls `test` alone.
  const toTunnel = Object.assign(/$^/, { test: (url: string) => withoutSlash(url.split("?", 1)[0] ?? url) === path })
  const patterns = [...(requests?.ignore ?? []), toTunnel]
  const ignoring = {
    ...requests,
    // Next copies the configuration, and of a regular expression its source alone. It keeps what a getter returns.
    get ignore() {
      return patterns
    },
  }
  return { logging: { ...logging, incomingRequests: ignoring } }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}
