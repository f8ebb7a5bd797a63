import { readFileSync } from "node:fs"
import { join } from "node:path"

/** What the app that installs the package has, or chooses. With the ranges that the tests run against. */
const PEERS: Readonly<Record<string, string>> = {
  "@sentry/browser": "^10.78.0 || ^11.0.0",
  "@sentry/core": "^10.78.0 || ^11.0.0",
  "@sentry/nextjs": "^10.78.0 || ^11.0.0",
  "@sentry/opentelemetry": "^10.78.0 || ^11.0.0",
  chdb: "^3.4.0",
  next: "^16.3.0",
  react: "^19.0.0",
}

/** The public entries, as file names below `otel/` without extension. */
export const ENTRIES = ["next", "server", "react", "tunnel", "browser", "filters", "instrumentations", "without-sentry"]

interface SourceManifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/**
 * The manifest of the package, made from the repository's: what the compiled files import is a dependency, at the version
 * that the tests ran with or a later compatible one, so that an app's own OpenTelemetry is not installed twice.
 *
 * @throws {Error} naming an imported package that the repository does not list.
 */
export function packageManifest(project: string, imported: ReadonlySet<string>): Record<string, unknown> {
  const source = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as SourceManifest
  const { name, version, description, license, engines } = source
  return {
    name,
    version,
    description,
    license,
    keywords: ["opentelemetry", "nextjs", "sentry", "tracing", "observability", "rum", "clickhouse"],
    type: "module",
    sideEffects: [
      "./lib/browser.js",
      "./lib/cli/main.js",
      "./lib/inspector/store/process/main.js",
      "./lib/inspector/store/writer/thread.js",
      "./lib/inspector/source-maps/worker.js",
    ],
    bin: { pagespan: "lib/cli/main.js" },
    exports: {
      ...Object.fromEntries(
        ENTRIES.map((entry) => [`./${entry}`, { types: `./lib/${entry}.d.ts`, default: `./lib/${entry}.js` }]),
      ),
      "./package.json": "./package.json",
    },
    files: ["lib", "inspector"],
    engines,
    dependencies: dependenciesOf(source, imported),
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((peer) => [peer, { optional: true }])),
  }
}

function dependenciesOf(source: SourceManifest, imported: ReadonlySet<string>): Record<string, string> {
  const names = [...imported].filter((name) => !(name in PEERS)).sort()
  const unknown = names.filter((name) => !(name in source.dependencies))
  if (unknown.length > 0) throw new Error(`the package imports what package.json does not list: ${unknown.join(", ")}`)
  return Object.fromEntries(names.map((name) => [name, `^${source.dependencies[name]}`]))
}
