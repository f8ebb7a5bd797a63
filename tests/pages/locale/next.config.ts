import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtForTests } from "../built-once.ts"

/** The same pages behind two proxies: `proxy.open.ts` leaves the tunnel alone, `proxy.caught.ts` handles it like a page. */
const VARIANTS = {
  open: { pageExtensions: ["open.ts", "tsx", "ts"] },
  caught: { pageExtensions: ["caught.ts", "tsx", "ts"], distDir: ".next-caught" },
} satisfies Record<string, NextConfig>

const variant = (process.env["PAGES_VARIANT"] ?? "open") as keyof typeof VARIANTS

export default withPagespan({ ...builtForTests, ...VARIANTS[variant] })
