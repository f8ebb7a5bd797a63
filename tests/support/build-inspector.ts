import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { buildPackage } from "#otel/cli/package/build.ts"
import { build, isBuilt, whileBuilding } from "#otel/cli/server/build.ts"
import { CANARIES } from "./canaries.ts"

/** Marks a build that was made with the canaries in its environment. The next build deletes it. */
const SEEDED = ".next/diagnostics/seeded-with-canaries"

/** Vitest's global set-up for test files that run the inspector or the package. Builds only what sources have changed. */
export async function setup(): Promise<void> {
  const repository = process.cwd()
  if (!isBuilt(repository) || !existsSync(SEEDED)) {
    await whileBuilding(repository, () => build(repository, { ...process.env, ...CANARIES }))
    mkdirSync(dirname(SEEDED), { recursive: true })
    writeFileSync(SEEDED, "")
  }
  await buildPackage(repository)
}
