import { existsSync, writeFileSync } from "node:fs"
import { build, isBuilt } from "#otel/command/build.ts"
import { CANARIES } from "./canaries.ts"

/** Gone with the next build, whoever makes it. */
const SEEDED = ".next/seeded-with-canaries"

/** Vitest's global set-up: the app under test is the production build, made once for all files, with secrets to look for. */
export async function setup(): Promise<void> {
  const project = process.cwd()
  if (isBuilt(project) && existsSync(SEEDED)) return
  const before = { ...process.env }
  Object.assign(process.env, CANARIES)
  await build(project)
  process.env = before
  writeFileSync(SEEDED, "")
}
