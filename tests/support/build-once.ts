import { build, isBuilt } from "#otel/command/build.ts"

/** Vitest's global set-up: the app under test is the production build, made once for all files. */
export async function setup(): Promise<void> {
  const project = process.cwd()
  if (!isBuilt(project)) await build(project)
}
