import { execFileSync } from "node:child_process"
import { commitOf } from "../deployment.ts"

const GIT_LIMIT_MS = 2_000

interface BuildOptions {
  readonly release?: string | false
  readonly projectDirectory?: string
}

/**
 * The release of this build: that of the options or of `SENTRY_RELEASE`, else the commit that the CI system, the host or git
 * names. `undefined` if there is none, and in development: a commit would name code that has changed since.
 */
export function releaseOfBuild({ release, projectDirectory }: BuildOptions): string | false | undefined {
  if (release !== undefined) return release
  if (process.env.NODE_ENV !== "production") return undefined
  return process.env["SENTRY_RELEASE"] || (commitOf(process.env) ?? gitCommit(projectDirectory ?? process.cwd()))
}

function gitCommit(directory: string): string | undefined {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: directory,
      timeout: GIT_LIMIT_MS,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    }).trim()
  } catch {
    // No git, no repository, or one without a commit.
    return undefined
  }
}
