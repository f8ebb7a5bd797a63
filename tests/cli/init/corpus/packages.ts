import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Packages that the files of the corpus import: stubs that show what an app does with them. */
const WRAPPER = `(config, mark) =>
  typeof config === "function" ? async (...given) => ({ ...(await config(...given)), ...mark }) : { ...config, ...mark }`
const STUBS: Readonly<Record<string, readonly [path: string, code: string, types?: string]>> = {
  "pagespan/next": [
    "next.js",
    `const wrap = ${WRAPPER}\nexports.withPagespan = (config) => wrap(config, { pagespan: true })\n`,
  ],
  "pagespan/server": [
    "server.js",
    `exports.register = async () => void globalThis.calls?.push("pagespan.register")
exports.onRequestError = async ({ message }) => void globalThis.calls?.push("pagespan " + message)\n`,
  ],
  "pagespan/react": [
    "react.js",
    `exports.RouteObserver = () => globalThis.createElement("i", null, "observer")
exports.reportError = ({ message }) => void globalThis.calls.push("pagespan " + message)\n`,
  ],
  "@sentry/nextjs": [
    "index.js",
    `const wrap = ${WRAPPER}
exports.withSentryConfig = (config, options) => wrap(config, { sentry: options })
exports.captureRequestError = async ({ message }) => void globalThis.calls.push("sentry " + message)
exports.captureException = ({ message }) => void globalThis.calls.push("sentry " + message)
exports.flush = async () => true
exports.init = (options) => void globalThis.initialized.push(options)\n`,
    `export function withSentryConfig<C>(config?: C, options?: { org?: string; silent?: boolean }): C
export function captureRequestError(error: unknown, request: unknown, context: unknown): void
export function captureException(error: unknown): string
export function flush(): Promise<boolean>
export function init(options: { dsn?: string; debug?: boolean; tracesSampleRate?: number; tracesSampler?: () => number }): void\n`,
  ],
  "next-intl/plugin": [
    "plugin.js",
    `const wrap = ${WRAPPER}\nmodule.exports = () => (config) => wrap(config, { intl: true })\n`,
    `import type { NextConfig } from "next"\nexport default function plugin(path?: string): (config?: NextConfig) => NextConfig\n`,
  ],
  "@next/bundle-analyzer": [
    "index.js",
    `const wrap = ${WRAPPER}\nmodule.exports = (options) => (config) => wrap(config, { analyzer: options })\n`,
  ],
  "@next/mdx": [
    "index.js",
    `const wrap = ${WRAPPER}\nmodule.exports = (options) => (config) => wrap(config, { mdx: options })\n`,
  ],
}
const REAL = ["next", "react", "react-dom", "@types/node", "@types/react", "@types/react-dom"]

/** Files that forms import. */
export const IMPORTED: Readonly<Record<string, string>> = {
  "other.ts": `export async function register() {}
export function report(error: unknown) {
  console.log(error instanceof Error ? error.message : "")
}
export const reportError = report
export const config = { matcher: "/a" }
export const options = {}
`,
  "base.ts": `export const base = {}\n`,
  "sentry.options.ts": `export const options = { tracesSampleRate: 1 }\n`,
  "app/shell.tsx": `export default function Shell() {\n  return null\n}\n`,
  "app/shown.tsx": `import { reportError } from "pagespan/react"
export function Shown({ error }: { error: Error }) {
  reportError(error)
  return null
}
`,
  "app/globals.css": "",
  "app/empty.d.ts": `declare module "*.css"\n`,
}

/** Writes the stubs, and links to the repository's packages, into `node_modules` of the directory. */
export function writePackages(directory: string): void {
  const modules = join(directory, "node_modules")
  for (const [specifier, [path, code, types]] of Object.entries(STUBS)) {
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/")
    const folder = join(modules, name)
    mkdirSync(folder, { recursive: true })
    // Node's loader finds `name/plugin` as a file only without `exports`, with the extension of a script.
    const subpaths = Object.entries(STUBS).filter(([other]) => other === name || other.startsWith(`${name}/`))
    const exported = subpaths.map(([other, [file]]) => [`.${other.slice(name.length)}`, `./${file}`])
    const manifest = {
      name,
      version: "0.1.0",
      exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" },
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
    writeFileSync(join(folder, path), code)
    if (types !== undefined) writeFileSync(join(folder, path.replace(/\.js$/, ".d.ts")), types)
  }
  for (const name of REAL) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(process.cwd(), "node_modules", name), join(modules, name))
  }
}
