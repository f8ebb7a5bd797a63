import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { oneAtATime } from "#tests/support/one-at-a-time.ts"

const run = promisify(execFile)

/** Versions of what an app chooses itself. Without one: the repository's. */
export interface Versions {
  readonly next?: string
  /** Of `@sentry/core`, `browser`, `node` and `opentelemetry`. */
  readonly sentry?: string
  /** Of `@sentry/nextjs`, where that of `sentry` does not exist or cannot be installed. */
  readonly sentryNextjs?: string
}

/** The repository's own versions, by package. */
const OWN = (
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
).dependencies

export function nextVersion({ next = OWN["next"]! }: Versions): string {
  return next
}

export function sentryVersion({ sentry = OWN["@sentry/core"]! }: Versions): string {
  return sentry
}

const SENTRY_PARTS = ["core", "browser", "node", "opentelemetry"] as const
const INSTALL = ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
const DONE = "installed"

/**
 * Installs an app's Next and Sentry in these versions, once per machine.
 *
 * @returns the path of their `node_modules`; `undefined` if all of them are the repository's.
 */
export async function installVersions(versions: Versions): Promise<string | undefined> {
  if (versions.next === undefined && versions.sentry === undefined) return undefined
  const sentry = sentryVersion(versions)
  const manifest = {
    private: true,
    dependencies: {
      next: nextVersion(versions),
      react: OWN["react"],
      "react-dom": OWN["react-dom"],
      "@sentry/nextjs": versions.sentryNextjs ?? sentry,
      ...Object.fromEntries(SENTRY_PARTS.map((part) => [`@sentry/${part}`, sentry])),
    },
    // `@sentry/nextjs` names its siblings exactly.
    overrides: Object.fromEntries(SENTRY_PARTS.map((part) => [`@sentry/${part}`, sentry])),
  }
  const text = JSON.stringify(manifest, null, 2)
  const directory = join(tmpdir(), `pagespan-versions-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`)
  await oneAtATime(directory, async () => {
    if (existsSync(join(directory, DONE))) return
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "package.json"), text)
    await run("npm", INSTALL, { cwd: directory })
    writeFileSync(join(directory, DONE), "")
  })
  return join(directory, "node_modules")
}

/** The newest published versions: of Next also the newest canary. */
export async function newestVersions(): Promise<{ readonly latest: Versions; readonly canary: Versions }> {
  const [next, sentry, sentryNextjs, all] = await Promise.all([
    view("next", "version"),
    view("@sentry/core", "version"),
    view("@sentry/nextjs", "version"),
    view("next", "versions"),
  ])
  const canary = (all as string[]).findLast((version) => version.includes("-canary."))!
  const latest = { next: String(next), sentry: String(sentry), sentryNextjs: String(sentryNextjs) }
  return { latest, canary: { ...latest, next: canary } }
}

async function view(name: string, field: string): Promise<unknown> {
  const { stdout } = await run("npm", ["view", name, field, "--json"])
  return JSON.parse(stdout)
}
