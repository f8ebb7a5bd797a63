import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Minor versions of Next 16 whose canaries and release candidates are accepted. Nobody installs those of earlier ones. */
const NEXT_MINORS = [3, 4, 5, 6, 7, 8, 9] as const
/** Next publishes a canary before a minor version, or before its next patches. */
const NEXT_PATCHES = [0, 1, 2] as const
/**
 * A range accepts a prerelease only where it names a prerelease of the same version: npm refuses to install
 * `next@16.5.0-canary.1` beside a package whose peer is `^16.0.0`.
 *
 * @see https://github.com/npm/node-semver#prerelease-tags
 */
const NEXT_RANGE = [
  "^15.3.0",
  // Of this minor version there are canaries alone, and apps that use them.
  "~15.6.0-0",
  "^16.0.0",
  ...NEXT_MINORS.flatMap((minor) => NEXT_PATCHES.map((patch) => `~16.${minor}.${patch}-0`)),
].join(" || ")

/**
 * Packages that the app installs or chooses, with the ranges that the tests cover. Test runners have none: npm would refuse to
 * install Pagespan in an app that has an older one, even if only for tests of its own.
 */
const PEERS: Readonly<Record<string, string>> = {
  "@playwright/test": "*",
  "@sentry/browser": "^10.78.0 || ^11.0.0",
  "@sentry/core": "^10.78.0 || ^11.0.0",
  "@sentry/nextjs": "^10.78.0 || ^11.0.0",
  "@sentry/opentelemetry": "^10.78.0 || ^11.0.0",
  chdb: "^3.4.0",
  next: NEXT_RANGE,
  react: "^18.2.0 || ^19.0.0",
  vitest: "*",
}

/** The public entries, as file names in `otel/` without extension. */
export const ENTRIES = [
  "next",
  "server",
  "react",
  "route",
  "tunnel",
  "browser",
  "filters",
  "instrumentations",
  "sentry",
  "without-sentry",
  "testing",
  "testing/playwright",
  "testing/playwright-reporter",
  "testing/vitest-reporter",
  "testing/vitest-setup",
]

/** The JSON Schema of `pagespan.budgets.json`, beside the manifest. */
export const BUDGET_SCHEMA = "pagespan.budgets.schema.json"

interface SourceManifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/**
 * The manifest of the package. Its dependencies are the packages that the compiled files import, at the version of the lockfile
 * or a later compatible one, or an earlier one that is tested too, so that npm does not install an app's packages twice.
 *
 * @param imported the names of the imported packages.
 * @throws {Error} with the imported packages that the repository's manifest does not list.
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
      "./lib/sentry.js",
      "./lib/testing/vitest-setup.js",
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
      [`./${BUDGET_SCHEMA}`]: `./${BUDGET_SCHEMA}`,
      "./package.json": "./package.json",
    },
    // TypeScript reads no `exports` with `moduleResolution: "node"`, which many apps have, and takes the types from here.
    typesVersions: { "*": Object.fromEntries(ENTRIES.map((entry) => [entry, [`./lib/${entry}.d.ts`]])) },
    // An inspector that has run from this folder has written caches into it.
    files: [
      "lib",
      "inspector",
      "!inspector/.next/cache",
      "!inspector/.next/server/route-cache",
      "sbom.cdx.json",
      BUDGET_SCHEMA,
    ],
    engines,
    dependencies: dependenciesOf(source, imported),
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((peer) => [peer, { optional: true }])),
  }
}

/**
 * The earliest versions of packages that apps have too, often in an earlier version that they pin: npm installs one copy for both. With
 * two of them, schemas of one are no schemas of the other to TypeScript.
 */
const EARLIEST: Readonly<Record<string, string>> = { zod: "4.0.0" }

/** OpenTelemetry's SDK does not accept a later minor version of its API than it knows. */
const PATCHES_ONLY = "@opentelemetry/api"

function dependenciesOf(source: SourceManifest, imported: ReadonlySet<string>): Record<string, string> {
  const names = [...imported].filter((name) => !(name in PEERS)).sort()
  const unknown = names.filter((name) => !(name in source.dependencies))
  if (unknown.length > 0)
    throw new Error(`the package imports packages that are not dependencies in package.json: ${unknown.join(", ")}`)
  return Object.fromEntries(
    names.map((name) => [name, `${name === PATCHES_ONLY ? "~" : "^"}${EARLIEST[name] ?? source.dependencies[name]}`]),
  )
}
