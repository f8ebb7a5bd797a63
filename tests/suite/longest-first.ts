import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Path prefixes below `tests/` of files that keep every core busy, the slowest first: most of them build an app. */
const BUSY = [
  "package/in-a-foreign-app",
  "cli/source-maps/end-to-end",
  "package/other-next-versions",
  "package/package-managers",
  "package/deployments",
  "architecture/regular-expressions",
  "package/unchanged-by-pagespan",
  "sdk/browser/page-size",
  "package/testing",
  "sdk/server/database",
  "package/",
  "app/screens/waterfall/million-spans",
]

/**
 * The same of files that wait as much as they compute: files that drive a browser, then files that start processes. All
 * other files take a few seconds and fill the gaps at the end.
 */
const WAITING = [
  "app/screens/every-screen",
  "sdk/browser/hostile-pages",
  "sdk/browser/route-names",
  "sdk/browser/unload",
  "app/screens/list.",
  "sdk/browser/consent",
  "cli/",
  "app/screens/overview-and-runs",
  "sdk/browser/recorded-spans",
  "app/errors",
  "sdk/browser/build-variants",
  "inspector/ingest/otlp/mutation",
  "inspector/ingest/sentry/envelope-mutation",
  "app/screens/trace",
  "app/server-errors",
  "docs/code-blocks",
  "sdk/browser/",
  "app/screens/",
  "app/",
  "inspector/ingest/",
  "inspector/mcp/",
  "inspector/store/",
  "inspector/forward/",
]

/** Files after each busy one. With fewer, busy files run at the same time; with more, they are left for the end. */
const BETWEEN = 6

/**
 * Starts slow files first, and spreads the busy ones over the others: two of them at a time are slower than one after the
 * other, and later the cores would wait. Files with the same prefix keep Vitest's order: by duration in the last run, else by
 * size.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const busy = sorted.filter((file) => isIn(BUSY, file)).toSorted(byRank(BUSY))
    const others = sorted.filter((file) => !isIn(BUSY, file)).toSorted(byRank(WAITING))
    const spread = busy.flatMap((file, index) => [file, ...others.slice(index * BETWEEN, (index + 1) * BETWEEN)])
    return [...spread, ...others.slice(busy.length * BETWEEN)]
  }
}

function byRank(prefixes: readonly string[]): (a: TestSpecification, b: TestSpecification) => number {
  return (a, b) => rank(prefixes, a) - rank(prefixes, b)
}

function isIn(prefixes: readonly string[], file: TestSpecification): boolean {
  return rank(prefixes, file) < prefixes.length
}

function rank(prefixes: readonly string[], { moduleId }: TestSpecification): number {
  const path = relative("tests", moduleId)
  const index = prefixes.findIndex((prefix) => path.startsWith(prefix))
  return index === -1 ? prefixes.length : index
}
