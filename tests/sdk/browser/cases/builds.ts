import type { Variant } from "../app-under-test.ts"

/** A way of building the app whose pages are the cases. */
export interface Build {
  readonly what: string
  readonly variant?: Variant
  /** Next's `basePath`. */
  readonly base: string
  /** What its addresses end with. */
  readonly slash: "" | "/"
  /** Whether what is rendered for a visitor is on the server's trace: with Cache Components its beginning was made before. */
  readonly joinsServer: boolean
}

export const PLAIN: Build = { what: "built by Turbopack", base: "", slash: "", joinsServer: true }

export const WEBPACK: Build = {
  what: "built by webpack, with basePath and trailingSlash",
  variant: { name: "webpack", buildArguments: ["--webpack"] },
  base: "/app",
  slash: "/",
  joinsServer: true,
}

export const CACHED: Build = {
  what: "with cacheComponents",
  variant: { name: "cached" },
  base: "",
  slash: "",
  joinsServer: false,
}

export const INSTRUMENTED: Build = {
  what: "with OpenTelemetry's instrumentation of fetch",
  variant: { name: "instrumented" },
  base: "",
  slash: "",
  joinsServer: true,
}

/** The address of a page, as its links have it. */
export function addressOf({ base, slash }: Build, path: string): string {
  return path === "/" ? `${base}${slash || "/"}` : `${base}${path}${slash}`
}
