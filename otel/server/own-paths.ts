/** Paths that carry or serve telemetry, which are never traced themselves. */
const NEXT_ASSETS = "/_next/"
/** Next's metadata files: a browser asks for them beside every page. */
const METADATA_FILES = /^\/(?:favicon\.ico|(?:icon|apple-icon)\d*\.\w+|robots\.txt|manifest\.webmanifest)$/
const INSPECTOR_DOORS = /^\/(?:v1\/|api\/\d+\/|stream$|live$|health$)/

/**
 * @param tunnel path of the tunnel, base path included, where there is one.
 * @param isInspector whether Pagespan's inspector runs in this process, whose doors are own traffic too.
 */
export function ownPaths(tunnel: string | undefined, basePath: string, isInspector: () => boolean) {
  return (path: string): boolean => {
    if (path === tunnel || path.startsWith(`${basePath}${NEXT_ASSETS}`)) return true
    if (METADATA_FILES.test(path.slice(basePath.length))) return true
    return isInspector() && INSPECTOR_DOORS.test(path)
  }
}
