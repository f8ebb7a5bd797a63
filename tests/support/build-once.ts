import { existsSync, writeFileSync } from "node:fs"
import { buildPackage } from "#otel/cli/package/build.ts"
import { build, isBuilt } from "#otel/cli/server/build.ts"
import { buildApp } from "#tests/sdk/browser/app-under-test.ts"
import { CANARIES } from "./canaries.ts"

/** Gone with the next build, whoever makes it. */
const SEEDED = ".next/seeded-with-canaries"
/** The small app that most browser tests use. */
const MOST_USED_APP = "routes"

/** Vitest's global set-up: what most files need is built before any of them, and not at all where the sources are the same. */
export async function setup(): Promise<void> {
  await Promise.all([buildInspector(process.cwd()), buildApp(MOST_USED_APP)])
}

/** The app under test is the package's: the production build, with secrets to look for. */
async function buildInspector(project: string): Promise<void> {
  if (!isBuilt(project) || !existsSync(SEEDED)) {
    await build(project, { ...process.env, ...CANARIES })
    writeFileSync(SEEDED, "")
  }
  await buildPackage(project)
}
