import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Beginnings of files' names below `tests/`, the longest first: what builds an app, then what drives browsers, then what
 * starts processes. What none of them names takes a few seconds at most and fills the gaps at the end.
 */
const LONGEST = [
  "package/in-a-foreign-app",
  "app/screens/every-screen",
  "sdk/browser/hostile-pages",
  "app/screens/list.",
  "sdk/browser/page-size",
  "sdk/browser/consent",
  "cli/",
  "app/screens/overview-and-runs",
  "sdk/browser/what-is-recorded",
  "app/errors",
  "sdk/browser/route-names",
  "sdk/browser/apps-configured",
  "cli/server/start",
  "inspector/receiver/mutation",
  "inspector/receiver/envelope-mutation",
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

/** On a machine that has run them before, files of the same rank go by what they took; else by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const path = relative("tests", moduleId)
  const index = LONGEST.findIndex((beginning) => path.startsWith(beginning))
  return index === -1 ? LONGEST.length : index
}
