import { existsSync, readFileSync } from "node:fs"
import { loadedImportsOf, sourceFilesBelow } from "../support/source-files.ts"

/**
 * The two suites and the builds that test files need.
 *
 * `npm test` holds every unit and contract test, and one pass in a browser on one build, the inspector's: its pages are
 * traced and delivered, and the list of traces and a trace are used. `npm run test:all` runs all of these, the files that
 * need a build of the apps in `tests/pages/`, and what is listed here because it multiplies the others (other screens,
 * installations, fuzzing, kills). To move a file that needs no other build to the other suite, add its line or remove it.
 */
const EXHAUSTIVE: Readonly<Record<string, string>> = {
  "tests/app/content-security.test.ts": "the screens once more, under their policy",
  "tests/app/every-address.test.ts": "requests every path with every method",
  "tests/app/foreign-page.test.ts": "every way of a page of another origin, from four origins",
  "tests/app/full-disk.test.ts": "fills a disk of its own, and makes others read-only",
  "tests/app/full-journal.test.ts": "fills a journal, and starts three inspectors",
  "tests/app/next-start.test.ts": "`next start` and `next dev` without the inspector's own server",
  "tests/app/no-echo.test.ts": "watches an idle inspector for half a minute",
  "tests/app/screens/browsers/other-browsers.test.ts": "every screen in Firefox and in WebKit",
  "tests/app/screens/compare/two-filters.test.ts": "the other screens",
  "tests/app/screens/editor.test.ts": "an inspector with source files and an editor",
  "tests/app/screens/envelope-items.test.ts": "another screen of a trace",
  "tests/app/screens/errors-routes-dropped.test.ts": "the other screens",
  "tests/app/screens/every-screen.test.ts": "axe on every screen, in both themes and two widths",
  "tests/app/screens/filters/saved-filters.test.ts": "the other screens",
  "tests/app/screens/findings.test.ts": "another screen of a trace",
  "tests/app/screens/live/broken-stream.test.ts": "the screens once more, with a store that is slow",
  "tests/app/screens/live/hidden-tab.test.ts": "waits for refreshes of other screens",
  "tests/app/screens/live/idle.test.ts": "watches idle screens for a minute",
  "tests/app/screens/live/slow-refresh.test.ts": "the screens once more, with a store that is slow",
  "tests/app/screens/logs.test.ts": "the other screens",
  "tests/app/screens/overview-and-runs.test.ts": "the other screens",
  "tests/app/screens/overview/drawn-charts.test.ts": "the charts of other screens",
  "tests/app/screens/overview/first-run.test.ts": "the other screens, in forced colours too",
  "tests/app/screens/overview/what-differs.test.ts": "another chart of the list, and axe on it",
  "tests/app/screens/problems.test.ts": "the screens once more, with a store that is down",
  "tests/app/screens/services-and-sessions.test.ts": "the other screens",
  "tests/app/screens/signed-in.test.ts": "the screens once more, with a token",
  "tests/app/screens/slow-query.test.ts": "runs queries that take seconds",
  "tests/app/screens/trace-import-export.test.ts": "every format of an import and an export",
  "tests/app/screens/trace/refreshed-trace.test.ts": "another part of the screen of a trace",
  "tests/app/screens/trace/selected-span.test.ts": "another part of the screen of a trace",
  "tests/app/screens/waterfall/million-spans.test.ts": "stores and opens a trace of a million spans",
  "tests/app/server-sampling.test.ts": "hundreds of traces at a sampling rate",
  "tests/architecture/regular-expressions.test.ts": "runs every regular expression on every pump string",
  "tests/cli/assert-budgets.test.ts":
    "starts an inspector for each recording, and repeats programs until limits are decided",
  "tests/cli/ci-templates.test.ts": "records and judges ten runs, as a CI system does",
  "tests/cli/command.test.ts": "processes of most commands, again and again until what they wait for arrives",
  "tests/cli/doctor-browser.test.ts": "opens pages in a browser of the command's own",
  "tests/cli/init/corpus.test.ts": "hundreds of variants of an app's files",
  "tests/cli/record-and-last.test.ts": "starts an inspector for each recording",
  "tests/cli/server/behind-nginx.test.ts": "the screens and the receivers once more, behind a proxy",
  "tests/cli/server/ports-and-restarts.test.ts": "starts three more inspectors, and kills the store of one",
  "tests/cli/server/private-files.test.ts": "starts inspectors in three directories",
  "tests/cli/server/secrets.test.ts": "starts an inspector for each way to fail",
  "tests/cli/server/upgrades.test.ts": "hundreds of sockets, and a stop with each kind open",
  "tests/cli/without-inspector.test.ts": "a process for each wrong use of a command",
  "tests/docs/code-blocks.test.ts": "runs every code block of the documentation",
  "tests/inspector/forward/crash.test.ts": "kills the forwarder many times",
  "tests/inspector/forward/schedules.test.ts": "a thousand random schedules of faults",
  "tests/inspector/forward/two-inspectors.test.ts": "two inspectors that each wait ten seconds for a store",
  "tests/inspector/ingest/crash.test.ts": "kills the receiver many times",
  "tests/inspector/ingest/otlp/mutation.test.ts": "thousands of mutated OTLP requests",
  "tests/inspector/ingest/out-of-memory.test.ts": "takes all memory of the engine",
  "tests/inspector/ingest/sentry/envelope-items.test.ts": "inspectors of their own, and envelopes of many megabytes",
  "tests/inspector/ingest/sentry/envelope-mutation.test.ts": "thousands of mutated envelopes",
  "tests/inspector/ingest/sentry/sentry-browser.test.ts": "bundles Sentry's browser SDK",
  "tests/inspector/ingest/sentry/sentry-ruby.test.ts": "Sentry's SDK of another language",
  "tests/inspector/ingest/sentry/sentry-sdk.test.ts": "two versions of Sentry's SDK, three ways of sending each",
  "tests/inspector/ingest/unauthenticated/before-authentication.test.ts": "floods of sockets and bodies without a key",
  "tests/inspector/ingest/unauthenticated/grpc-frames.test.ts": "floods and broken frames of HTTP/2",
  "tests/inspector/ingest/unauthenticated/http-framing.test.ts": "thousands of broken requests of HTTP/1.1",
  "tests/inspector/live/stream-mutation.test.ts": "generated readers of the live streams",
  "tests/inspector/mcp/agent.test.ts": "a session with every tool, in which an agent waits for its answers",
  "tests/inspector/mcp/forged-records.test.ts": "hundreds of calls of every tool, on a store of forged texts",
  "tests/inspector/mcp/mcp-mutation.test.ts": "thousands of mutated MCP requests",
  "tests/inspector/store/cluster/replicas.test.ts": "loses connections to three replicas, and waits to try again",
  "tests/inspector/store/cluster/tables.test.ts": "every query of the store on the tables of a cluster",
  "tests/inspector/store/upkeep/deleted-records.test.ts": "fills the store past its size",
  "tests/inspector/store/figures/figures-differential.test.ts": "generated traces, each counted again one by one",
  "tests/inspector/store/filter-differential.test.ts": "generated filters over generated traces",
  "tests/inspector/store/limits.test.ts": "fills the store past its limits",
  "tests/inspector/store/process/connections.test.ts": "every query twice, by both connections",
  "tests/inspector/store/process/failure.test.ts": "kills the store process, fills its disk",
  "tests/inspector/store/process/kill-phases.test.ts": "kills the store process in each of its phases",
  "tests/inspector/store/process/lifecycle.test.ts": "starts and kills a dozen store processes",
  "tests/inspector/store/query-cancel.test.ts": "cancels queries that take seconds",
  "tests/inspector/store/read/windows.test.ts": "fourteen filters over twelve thousand traces, in four ranges",
  "tests/inspector/store/retained-runs.test.ts": "fills the store past its age and its size",
  "tests/inspector/store/schema/schema.test.ts": "a store for each state in which it may find its tables",
  "tests/inspector/store/schema/migration.test.ts": "a store of an earlier schema for each case",
  "tests/package/adopted-by-init.test.ts": "builds another app with the installed package",
  "tests/package/container.test.ts": "installs the package, and starts it as a container does",
  "tests/package/deployments.test.ts": "builds another app with the installed package, in three forms",
  "tests/package/earliest-zod.test.ts": "installs an earlier zod",
  "tests/package/in-a-foreign-app.test.ts":
    "builds three apps with the installed package, with both versions of Sentry",
  "tests/package/next-without-injection.test.ts": "installs two earlier versions of Next, and builds an app with each",
  "tests/package/npx.test.ts": "installs the package in an empty directory",
  "tests/package/other-next-versions.test.ts": "installs two other versions of Next, and builds an app with each",
  "tests/package/package-managers.test.ts": "installs and builds another app with pnpm and yarn",
  "tests/package/peer-ranges.test.ts": "resolves packages with npm",
  "tests/package/reproducible.test.ts": "builds and packs the package twice",
  "tests/package/tarball.test.ts": "packs the package and runs publint and are-the-types-wrong",
  "tests/package/testing.test.ts": "runs Playwright and Vitest in another project with the installed package",
  "tests/package/unchanged-by-pagespan.test.ts": "builds an app with and without the installed package",
  "tests/package/with-vercel-otel.test.ts": "builds another app with the installed package",
  "tests/package/without-sentry.test.ts": "packs the package",
  "tests/protocol/redact-mutation.test.ts": "generated texts with secrets",
  "tests/sdk/server/database/prisma-spans.test.ts": "installs Prisma, and builds an app with it",
  "tests/sdk/tunnel/tunnel-mutation.test.ts": "thousands of mutated requests to the tunnel",
  "tests/sdk/tunnel/tunnel-schedules.test.ts": "a thousand random schedules of faults",
}

/** A module that stands for a build: a test file that imports it, directly or not, needs that build. */
const BUILDS = {
  inspector: { module: "tests/support/packaged.ts", setup: "tests/support/build-inspector.ts" },
  pages: { module: "tests/sdk/browser/app-under-test.ts", setup: "tests/support/build-pages.ts" },
} as const
type Build = keyof typeof BUILDS

/**
 * A test of the SDK that loads this module, directly or not, changes the state of its process, and so does one with these
 * calls. Such files run in a module graph of their own. The others of a worker share one, which saves a third of their time.
 */
const PROCESS_STATE = "otel/sdk/process-state.ts"
const TESTS_THE_SDK = /from "(?:@opentelemetry\/|@sentry\/|pagespan\/|#otel\/sdk\/|#otel\/[\w-]+\.tsx?")/
const CHANGES_THE_PROCESS =
  /\bvi\.(?:mock|doMock|resetModules)\(|\bsetGlobal\w+\(|\.register\(\)|from "@sentry\/(?!core)/

/** Ends the names of the projects that only `npm run test:all` runs. */
const EXHAUSTIVE_SUFFIX = ":exhaustive"

/** `short` in the runs of `npm test`, which have no exhaustive projects: Vitest takes 0.4 s to set one up, used or not. */
export const SUITE_VARIABLE = "TEST_SUITE"

/** Test files that need the same builds and belong to the same suite. */
interface TestProject {
  readonly name: string
  readonly include: readonly string[]
  readonly globalSetup: readonly string[]
  /** Whether each file gets its own modules. */
  readonly isolate: boolean
}

/**
 * Vitest's projects: `unit` and `unit+state`, which need no build and start in a second, `inspector`, the `:exhaustive`
 * part of each, and `pages:exhaustive` and `inspector+pages:exhaustive`. A build is made only when a file that needs it runs.
 */
export function testProjects(): TestProject[] {
  const projects = new Map<string, TestProject & { include: string[] }>()
  for (const file of sourceFilesBelow("tests").filter(isTest)) {
    const reached = reach(file)
    const builds = (Object.keys(BUILDS) as Build[]).filter((build) => reached.has(BUILDS[build].module))
    const texts = [...reached].filter((path) => path.startsWith("tests/")).map((path) => readFileSync(path, "utf8"))
    const isolate =
      texts.some((text) => CHANGES_THE_PROCESS.test(text)) ||
      (reached.has(PROCESS_STATE) && texts.some((text) => TESTS_THE_SDK.test(text)))
    const kind = [builds.length > 0 ? builds.join("+") : "unit", ...(isolate ? ["state"] : [])].join("+")
    const isExhaustive = builds.includes("pages") || file in EXHAUSTIVE
    const name = `${kind}${isExhaustive ? EXHAUSTIVE_SUFFIX : ""}`
    const globalSetup = builds.map((build) => BUILDS[build].setup)
    const project = projects.get(name) ?? { name, include: [], globalSetup, isolate }
    project.include.push(file)
    projects.set(name, project)
  }
  const isShort = process.env[SUITE_VARIABLE] === "short"
  return [...projects.values()].filter(({ name }) => !isShort || !name.endsWith(EXHAUSTIVE_SUFFIX))
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file) && !/^tests\/(?:pages|package\/apps)\//.test(file)
}

/** The files that a file loads, directly or not, itself included. */
function reach(file: string): ReadonlySet<string> {
  const reached = new Set([file])
  // A set visits what is added to it during the loop.
  for (const each of reached) for (const target of loadedBy(each)) if (!reached.has(target)) reached.add(target)
  return reached
}

const known = new Map<string, readonly string[]>()

function loadedBy(file: string): readonly string[] {
  const targets =
    known.get(file) ??
    loadedImportsOf(file)
      .map(({ target }) => target)
      // A test may hold a program as text, whose imports name no files here.
      .filter((path) => existsSync(path))
  known.set(file, targets)
  return targets
}
