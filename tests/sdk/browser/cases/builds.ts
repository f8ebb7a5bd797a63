import type { Variant } from "../app-under-test.ts"

/** A build of the app with the pages of the cases. */
export interface Build {
  readonly what: string
  readonly variant?: Variant
  /** Next's `basePath`. */
  readonly base: string
  /** The end of its URLs. */
  readonly slash: "" | "/"
  /** Whether a page rendered for a visitor joins the server's trace. With Cache Components its first part is prerendered. */
  readonly joinsServer: boolean
  /** When its pages get OpenTelemetry's SDK, where that is not once they are idle. Nothing else that loads late arrives before it. */
  readonly sdk?: "late" | "never"
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

/** The URL of a page, as its links contain it. */
export function addressOf({ base, slash }: Build, path: string): string {
  return path === "/" ? `${base}${slash || "/"}` : `${base}${path}${slash}`
}
