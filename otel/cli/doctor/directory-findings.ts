import { existsSync, readFileSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { API, API_PACKAGE, packageManager } from "../init/packages.ts"
import type { InitPlan } from "../init/plan.ts"
import type { Finding } from "./finding.ts"

/** Packages that use OpenTelemetry's API in an app that Pagespan traces. */
const USERS = ["pagespan", "@sentry/nextjs", "@sentry/opentelemetry", "@vercel/otel", "@opentelemetry/sdk-node"]

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
    ...(installation === undefined ? [] : [{ text: "packages are missing", fix: installation.text }]),
  ]
}

function packageFindings(directory: string): Finding[] {
  const copies = new Map<string, string>()
  for (const name of USERS) {
    const user = packageFolder(join(directory, "package.json"), name)
    const api = user && packageFolder(join(user, "package.json"), API)
    if (user !== undefined && api !== undefined && !copies.has(api)) copies.set(api, name)
  }
  const own = packageFolder(join(directory, "package.json"), API)
  if (own !== undefined && !copies.has(own)) copies.set(own, "your app")
  if (copies.size < 2) return []
  const list = [...copies].map(([folder, user]) => `${versionOf(folder)} for ${user}`).join(", ")
  return [
    {
      text: `there are ${copies.size} copies of ${API}, and each has its own tracer: ${list}`,
      fix: `let all use one: list ${API_PACKAGE} in package.json, and run ${DEDUPE[packageManager(directory)]}`,
    },
  ]
}

/** The real folder of a package as a file sees it. `undefined` if it is not installed. */
function packageFolder(from: string, name: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? []
  const found = folders.map((modules) => join(modules, name)).find((folder) => existsSync(join(folder, "package.json")))
  return found === undefined ? undefined : realpathSync(found)
}

function versionOf(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string }
  return version ?? "an unknown version"
}
