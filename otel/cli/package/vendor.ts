import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { build } from "vite"
import { filesBelow } from "./library.ts"

/**
 * What of `@sentry/core` uses no Sentry client: parsing a DSN, reading rate limits, the version. The package contains a copy,
 * so that the tunnel and the inspector work without Sentry's SDK, which the app chooses. A file that imports any other
 * name keeps importing the SDK, since a copy would not know the client of the app's SDK.
 */
const PURE: ReadonlySet<string> = new Set([
  "SDK_VERSION",
  "dsnFromString",
  "dsnToString",
  "envelopeItemTypeToDataCategory",
  "forEachEnvelopeItem",
  "getEnvelopeEndpointWithUrlEncodedAuth",
  "isRateLimited",
  "updateRateLimits",
])
const IMPORT = /import \{(?<names>[^{}]*)\} from "@sentry\/core"/g

/** Bundles the functions that the compiled files import into one file, adds its license, and rewrites the imports. */
export async function vendorSentryCore(project: string, lib: string): Promise<void> {
  const outDir = join(lib, "vendored")
  const entry = join(lib, "sentry-core.entry.js")
  const names = new Set<string>()
  for (const file of filesBelow(lib))
    if (file.endsWith(".js")) rewriteImports(file, join(outDir, "sentry-core.js"), names)
  writeFileSync(entry, `export { ${[...names].sort().join(", ")} } from "@sentry/core"\n`)
  await build({
    root: project,
    configFile: false,
    logLevel: "error",
    build: {
      outDir,
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      target: "es2023",
      lib: { entry, formats: ["es"], fileName: () => "sentry-core.js" },
    },
  })
  rmSync(entry)
  copyFileSync(join(project, "node_modules/@sentry/core/LICENSE"), join(outDir, "LICENSE"))
}

function rewriteImports(file: string, copy: string, used: Set<string>): void {
  const text = readFileSync(file, "utf8")
  const specifier = relative(dirname(file), copy).replace(/^(?!\.)/, "./")
  const rewritten = text.replaceAll(IMPORT, (statement: string, list: string) => {
    const names = list.split(",").flatMap((name) => name.trim().split(" as ")[0] || [])
    if (!names.every((name) => PURE.has(name))) return statement
    for (const name of names) used.add(name)
    return `import {${list}} from "${specifier}"`
  })
  if (rewritten !== text) writeFileSync(file, rewritten)
}
