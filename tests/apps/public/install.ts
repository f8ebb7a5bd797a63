import { exec, execFile } from "node:child_process"
import { promisify } from "node:util"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import type { PublicApp } from "./public-app.ts"

/** Scripts of packages are those of development, such as git hooks. */
const INSTALL: Readonly<Record<PublicApp["packageManager"], readonly string[]>> = {
  npm: ["install", "--ignore-scripts", "--no-audit", "--no-fund"],
  pnpm: ["install", "--ignore-scripts", "--no-frozen-lockfile"],
}

/** Installs the app's packages, and runs the command that prepares it. */
export async function install(app: PublicApp, directory: string): Promise<void> {
  const env = { ...cleanEnvironment(), ...app.environment } as unknown as NodeJS.ProcessEnv
  const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024 }
  await promisify(execFile)(app.packageManager, INSTALL[app.packageManager], options).catch(withOutput)
  if (app.prepare !== undefined) await promisify(exec)(app.prepare, options).catch(withOutput)
}

/** What a package manager has to say is in its output. */
function withOutput(error: Error & { stdout?: string }): never {
  throw new Error(`${error.message}\n${error.stdout ?? ""}`, { cause: error })
}
