import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Path prefixes below `tests/`, the slowest first: files that build an app, then files that drive a browser, then files
 * that start processes. All other files take a few seconds and fill the gaps at the end.
 */
const SLOWEST = [
  "package/in-a-foreign-app",
  "app/screens/every-screen",
  "sdk/browser/hostile-pages",
  "app/screens/list.",
  "sdk/browser/page-size",
  "sdk/browser/consent",
  "cli/",
  "app/screens/overview-and-runs",
  "sdk/browser/recorded-spans",
  "app/errors",
  "sdk/browser/route-names",
  "sdk/browser/build-variants",
  "sdk/server/database",
  "architecture/regular-expressions",
  "inspector/ingest/otlp/mutation",
  "inspector/ingest/sentry/envelope-mutation",
  "app/screens/trace",
  "app/server-errors",
  "package/",
  "docs/code-blocks",
  "sdk/browser/",
  "app/screens/",
  "app/",
  "inspector/ingest/",
  "inspector/mcp/",
  "inspector/store/",
  "inspector/forward/",
]

/** Starts slow files first. Files with the same prefix keep Vitest's order: by duration in the last run, else by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const path = relative("tests", moduleId)
  const index = SLOWEST.findIndex((prefix) => path.startsWith(prefix))
  return index === -1 ? SLOWEST.length : index
}
