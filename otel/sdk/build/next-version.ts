import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { resolve as absolute } from "node:path"

/** The first version of Next with `instrumentationClientInject`, which injects the page's tracer. */
const FIRST_WITH_INJECTION = [16, 3] as const
const WITHOUT_INJECTION = `does not inject the page's tracer, unlike 16.3: add import ${JSON.stringify("pagespan/browser")} to instrumentation-client`

/**
 * Warning for an app whose version of Next cannot inject the page's tracer: without it such an app would build and send no
 * page spans.
 *
 * @returns `undefined` if the version can, or is unknown.
 */
export function nextProblem(directory: string): string | undefined {
  const version = installedVersion(directory)
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number)
  const [firstMajor, firstMinor] = FIRST_WITH_INJECTION
  if (version === undefined || major > firstMajor || (major === firstMajor && minor >= firstMinor)) return undefined
  return `Next ${version} ${WITHOUT_INJECTION}`
}

function installedVersion(directory: string): string | undefined {
  try {
    const { resolve } = createRequire(absolute(directory, "package.json"))
    return (JSON.parse(readFileSync(resolve("next/package.json"), "utf8")) as { version: string }).version
  } catch {
    // A standalone server reads its configuration without access to Next's package.json.
    return undefined
  }
}
