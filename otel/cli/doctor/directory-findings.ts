import { readFileSync } from "node:fs"
import { join } from "node:path"
import { API, apiCopies } from "../init/api-copies.ts"
import { API_PACKAGE, packageManager } from "../init/packages.ts"
import type { InitPlan } from "../init/plan.ts"
import type { Finding } from "./finding.ts"

const DEDUPE = { npm: "npm dedupe", pnpm: "pnpm dedupe", yarn: "yarn dedupe", bun: "bun install" } as const

/** What the files of an app show: edits that `pagespan init` would make, what is left to its author, and its packages. */
export async function directoryFindings(directory: string): Promise<Finding[]> {
  const { planInit } = await import("../init/plan.ts")
  const plan = planInit(directory)
  return plan === undefined ? [] : [...editFindings(plan), ...packageFindings(directory)]
}

function editFindings({ edits, notes, installation }: InitPlan): Finding[] {
  const paths = edits.map(({ path }) => path)
  return [
    paths.length === 0
      ? { text: "the app's files have what Pagespan needs" }
      : { text: `these files lack a part of Pagespan: ${paths.join(", ")}`, fix: "run pagespan init" },
    ...notes.map((note): Finding => ({ text: `left to you: ${note.split("\n", 1)[0] ?? ""}`, isNote: true })),
    ...(installation === undefined
      ? []
      : [{ text: installation.problem ?? "packages are missing", fix: installation.text }]),
  ]
}

function packageFindings(directory: string): Finding[] {
  const copies = apiCopies(directory)
  if (copies.size < 2) return []
  const list = [...copies].map(([folder, user]) => `${versionOf(folder)} for ${user}`).join(", ")
  return [
    {
      text: `there are ${copies.size} copies of ${API}, and each has its own tracer: ${list}`,
      fix: `let all use one: list ${API_PACKAGE} in package.json, and run ${DEDUPE[packageManager(directory)]}`,
    },
  ]
}

function versionOf(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string }
  return version ?? "an unknown version"
}
