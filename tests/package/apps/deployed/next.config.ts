import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"

/** How the app is deployed. `tests/apps/matrix` removes from the folder what a form does not have. */
const FORMS = {
  server: {},
  standalone: { output: "standalone", basePath: "/shop" },
  export: { output: "export" },
} satisfies Record<string, NextConfig>

export default withPagespan(FORMS[(process.env["APP_FORM"] ?? "server") as keyof typeof FORMS])
