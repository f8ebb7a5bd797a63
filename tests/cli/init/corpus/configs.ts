import { edited, type Form, left } from "./forms.ts"

const TYPED = `import type { NextConfig } from "next";\n`
const INTL = `import createNextIntlPlugin from "next-intl/plugin";\n\nconst withNextIntl = createNextIntlPlugin("./src/i18n/request.ts");\n`
const SENTRY = `import { withSentryConfig } from "@sentry/nextjs";\n`
const JSDOC = `/** @type {import("next").NextConfig} */\n`
const OBJECT = `{\n  reactStrictMode: true,\n  images: {\n    unoptimized: true,\n  },\n}`

/** The forms of `next.config`. Those in TypeScript pass a strict type check. */
export const CONFIGS: readonly Form[] = [
  edited("next.config.ts", `${TYPED}\nconst nextConfig: NextConfig = ${OBJECT};\n\nexport default nextConfig;\n`),
  edited("next.config.ts", `${TYPED}\nexport default ${OBJECT} satisfies NextConfig;\n`),
  edited("next.config.ts", `${TYPED}\nexport default { output: "standalone" } as NextConfig;\n`),
  edited("next.config.ts", `export default { pageExtensions: ["ts", "tsx"], output: "standalone" } as const;\n`),
  edited("next.config.ts", `const nextConfig = { output: "standalone" };\n\nexport default nextConfig;\n`),
  edited("next.config.ts", `const nextConfig = { output: "standalone" } as const;\n\nexport default nextConfig;\n`),
  edited("next.config.ts", `export default {\n  output: "standalone",\n};\n`),
  edited(
    "next.config.ts",
    `${TYPED}\nconst config = { output: "standalone" } satisfies NextConfig;\nexport default config;\n`,
  ),
  edited(
    "next.config.ts",
    `${TYPED}\nexport default async (phase: string): Promise<NextConfig> => ({ distDir: phase });\n`,
  ),
  edited(
    "next.config.ts",
    `export default async (phase: string) => {\n  return { output: "standalone", distDir: phase };\n};\n`,
  ),
  edited(
    "next.config.ts",
    `${TYPED}\nexport default async function config(phase: string): Promise<NextConfig> {\n  return { distDir: phase };\n}\n`,
  ),
  edited("next.config.ts", `export default function config() {\n  return { output: "standalone" };\n}\n`),
  edited(
    "next.config.ts",
    `${TYPED}${INTL}\nconst nextConfig: NextConfig = {};\n\nexport default withNextIntl(nextConfig);\n`,
  ),
  edited(
    "next.config.ts",
    `${SENTRY}${TYPED}\nconst nextConfig: NextConfig = ${OBJECT};\n\nexport default withSentryConfig(nextConfig, {\n  org: "acme",\n  silent: !process.env.CI,\n});\n`,
  ),
  edited("next.config.ts", `${SENTRY}\nexport default withSentryConfig({ output: "standalone" }, { org: "acme" });\n`),
  edited(
    "next.config.ts",
    `${TYPED}${SENTRY}${INTL}\nconst base: NextConfig = {};\nlet config = withNextIntl(base);\n\nif (process.env.ANALYZE) {\n  config = withSentryConfig(config, { org: "acme" });\n}\n\nexport default config;\n`,
  ),
  edited(
    "next.config.ts",
    `${TYPED}\nconst isProduction = process.env.NODE_ENV === "production";\nconst one: NextConfig = {};\nconst two: NextConfig = { output: "standalone" };\nexport default isProduction ? one : two;\n`,
  ),
  left(
    "next.config.ts",
    `const config = async (phase: string) => ({ output: "standalone", distDir: phase });\n\nexport default config;\n`,
  ),
  left("next.config.ts", `import { base } from "./base";\n\nexport default base;\n`),
  edited("next.config.mjs", `${JSDOC}const nextConfig = ${OBJECT};\n\nexport default nextConfig;\n`),
  edited(
    "next.config.mjs",
    `${SENTRY}\nexport default withSentryConfig(async (phase) => ({ distDir: phase }), { org: "acme" });\n`,
  ),
  edited(
    "next.config.mjs",
    `${SENTRY}${INTL}\n${JSDOC}export default withNextIntl(\n  withSentryConfig(\n    {\n      reactStrictMode: true,\n    },\n    { org: "acme" },\n  ),\n);\n`,
  ),
  edited(
    "next.config.mjs",
    `import bundleAnalyzer from "@next/bundle-analyzer";\n\nconst withBundleAnalyzer = bundleAnalyzer({ enabled: false });\n\nexport default withBundleAnalyzer({ poweredByHeader: false });\n`,
  ),
  edited(
    "next.config.mjs",
    `import mdx from "@next/mdx";\n\nexport default mdx({ extension: /\\.mdx$/ })({ pageExtensions: ["mdx", "tsx"] });\n`,
  ),
  edited(
    "next.config.mjs",
    `const nextConfig = {};\n\nconst plugins = [(config) => ({ ...config, reactStrictMode: true })];\n\nexport default plugins.reduce((config, plugin) => plugin(config), nextConfig);\n`,
  ),
  edited(
    "next.config.mjs",
    `export default (phase, { defaultConfig }) => {\n  return { ...defaultConfig, distDir: phase };\n};\n`,
  ),
  left("next.config.mjs", `const load = async () => ({ reactStrictMode: true });\n\nexport default await load();\n`),
  left("next.config.mjs", `export default Promise.resolve({ reactStrictMode: true });\n`),
  left("next.config.mjs", `const nextConfig = {};\nexport { nextConfig as default };\n`),
  edited("next.config.js", `${JSDOC}const nextConfig = ${OBJECT};\n\nmodule.exports = nextConfig;\n`),
  edited("next.config.js", `${JSDOC}module.exports = ${OBJECT};\n`),
  edited(
    "next.config.js",
    `// @ts-check\n\n/**\n * @type {import("next").NextConfig}\n */\nconst nextConfig = {\n  /* config options here */\n};\n\nmodule.exports = nextConfig;\n`,
  ),
  edited(
    "next.config.js",
    `const path = require("node:path");\nconst { withSentryConfig } = require("@sentry/nextjs");\n\nmodule.exports = { distDir: path.join(".next", "a") };\n\nmodule.exports = withSentryConfig(module.exports, { org: "acme" });\n`,
  ),
  edited(
    "next.config.js",
    `const withAnalyzer = require("@next/bundle-analyzer")({ enabled: process.env.ANALYZE === "true" });\n\nmodule.exports = withAnalyzer({ reactStrictMode: true });\n`,
  ),
  edited(
    "next.config.js",
    `"use strict";\n\nmodule.exports = async (phase) => {\n  ${JSDOC.trimEnd()}\n  const nextConfig = { distDir: phase };\n  return nextConfig;\n};\n`,
  ),
  edited("next.config.js", `module.exports = function (phase) {\n  return { distDir: phase };\n};\n`),
  left(
    "next.config.js",
    `module.exports = {};\nif (process.env.CI) {\n  module.exports = { output: "standalone" };\n}\n`,
  ),
  left("next.config.js", `exports.default = {};\n`),
  left(
    "next.config.js",
    `// @ts-check\nconst nextConfig = { output: "standalone" };\n\nmodule.exports = nextConfig;\n`,
  ),
]
