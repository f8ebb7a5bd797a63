import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

/** How the app is deployed. `tests/apps/matrix` removes from the folder what a form does not have. */
const FORMS = {
  server: {},
  standalone: { output: "standalone", basePath: "/shop" },
  export: { output: "export" },
  "export+tunnel": { output: "export" },
  // The server that has the tunnel, beside the files of the build before.
  tunnel: { distDir: ".next-tunnel" },
} satisfies Record<string, NextConfig>

/** Each form is built once: nothing reads the cache, which takes a fifth of a build. Not every version of Next has it. */
const BUILT_ONCE = { experimental: { turbopackFileSystemCacheForBuild: false } } as NextConfig

const form = (process.env["APP_FORM"] ?? "server") as keyof typeof FORMS
const tunnel = process.env["APP_TUNNEL"]

/** The types are the same in every form: one of them checks them. */
const CHECKED_ONCE = { typescript: { ignoreBuildErrors: form !== "server" } }

export default withPagespan(
  { ...BUILT_ONCE, ...CHECKED_ONCE, ...FORMS[form] },
  form === "export+tunnel" && tunnel !== undefined ? { tunnelRoute: tunnel } : {},
)
