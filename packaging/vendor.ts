import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "vite"
import { filesBelow } from "./library.ts"

/**
 * Functions of `@sentry/core` that depend on no Sentry client: parsing a DSN, reading rate limits, writing envelopes. They
 * come with the package, so that the tunnel and the inspector do not need Sentry's SDK, which is the app's to choose.
 */
const PURE: ReadonlySet<string> = new Set([
  "addItemToEnvelope",
  "createEnvelope",
  "dsnFromString",
  "dsnToString",
  "forEachEnvelopeItem",
  "getEnvelopeEndpointWithUrlEncodedAuth",
  "isRateLimited",
  "serializeEnvelope",
  "updateRateLimits",
])
const IMPORT = /import \{(?<names>[^}]*)\} from "[^"]*vendored\/sentry-core\.js"/g

/** Puts what the compiled files import of `@sentry/core` into one file, with its licence. */
export async function vendorSentryCore(project: string, lib: string): Promise<void> {
  const outDir = join(lib, "vendored")
  const entry = join(lib, "sentry-core.entry.js")
  writeFileSync(entry, `export { ${namesImported(lib).join(", ")} } from "@sentry/core"\n`)
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

/** @throws {Error} on a function that may depend on a client: a copy would know of another one than the app's SDK does. */
function namesImported(lib: string): string[] {
  const names = filesBelow(lib)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(IMPORT)])
    .flatMap(({ groups }) => (groups?.["names"] ?? "").split(","))
    .map((name) => name.trim().split(" as ")[0] ?? "")
    .filter((name) => name !== "")
  const unknown = names.filter((name) => !PURE.has(name))
  if (unknown.length > 0) throw new Error(`not known to be free of Sentry's client: ${unknown.join(", ")}`)
  return [...new Set(names)].sort()
}
