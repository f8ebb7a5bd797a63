import { execFile } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { PAGE_EXPORT, pageStart } from "#otel/protocol/next-versions.ts"
import { ForeignApp, NEXT_PACKAGES } from "#tests/package/foreign-app.ts"

/** Versions of what an app chooses itself. Without one: the repository's. OpenTelemetry is the newest that the package accepts. */
export interface Versions {
  readonly next?: string
  /** Of `@sentry/core`, `browser`, `node` and `opentelemetry`. */
  readonly sentry?: string
  /** Of `@sentry/nextjs`, where that of `sentry` does not exist or cannot be installed. */
  readonly sentryNextjs?: string
}

const SENTRY_PARTS = ["core", "browser", "node", "opentelemetry"] as const

/** The repository's own versions, by package. */
export const OWN: Readonly<Record<string, string>> = (() => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
  ) as Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
  return { ...devDependencies, ...dependencies }
})()

/** The compiler that a version of Next checks types with: those that inject nothing into pages know no TypeScript 7. */
export function typeScriptOf(next: string | undefined): { typescript?: string } {
  return pageStart(next ?? "") === "imported" ? { typescript: "5.9.3" } : {}
}

/** Does what `pagespan init` does where Next injects nothing into pages. */
export function startPageIn(app: ForeignApp, next: string | undefined): void {
  if (pageStart(next ?? "") === "imported")
    writeFileSync(join(app.directory, "instrumentation-client.ts"), `${PAGE_EXPORT}\n`)
}

/** Names the app's proxy as Next did before 16. */
function nameMiddlewareIn(app: ForeignApp): void {
  if (Number.parseInt(app.versionOf("next")) >= 16) return
  const proxy = join(app.directory, "proxy.ts")
  const text = readFileSync(proxy, "utf8").replace("function proxy", "function middleware")
  writeFileSync(join(app.directory, "middleware.ts"), text)
  rmSync(proxy)
}

/** The app `deployed` with these versions and the packed package, installed by npm. */
export async function installDeployed({ next, sentry, sentryNextjs = sentry }: Versions): Promise<ForeignApp> {
  const parts = Object.fromEntries(SENTRY_PARTS.map((part) => [`@sentry/${part}`, sentry ?? OWN["@sentry/core"]]))
  const app = await ForeignApp.installed("deployed", {
    dependencies: {
      ...Object.fromEntries(NEXT_PACKAGES.map((name) => [name, OWN[name]])),
      ...(next === undefined ? {} : { next }),
      ...typeScriptOf(next),
      "@sentry/nextjs": sentryNextjs ?? OWN["@sentry/nextjs"],
      ...parts,
    },
    // `@sentry/nextjs` names its siblings exactly, and accepts no prerelease of Next.
    overrides: { ...parts, next: "$next" },
  })
  startPageIn(app, next)
  nameMiddlewareIn(app)
  return app
}

/** The versions that the app asks for, of Next and Sentry. */
export function wanted({ next = OWN["next"]!, sentry = OWN["@sentry/core"]! }: Versions): readonly [string, string] {
  return [next, sentry]
}

/**
 * The newest published versions: those of Next, its canary and Sentry's SDK alone, so that what one of them breaks does not hide
 * what the others do, and all together.
 */
export async function newestVersions(): Promise<readonly Versions[]> {
  const [next, sentry, sentryNextjs, all] = await Promise.all([
    view("next", "version"),
    view("@sentry/core", "version"),
    view("@sentry/nextjs", "version"),
    view("next", "versions"),
  ])
  const canary = (all as string[]).findLast((version) => version.includes("-canary."))!
  const newest = { next: String(next), sentry: String(sentry), sentryNextjs: String(sentryNextjs) }
  return [
    { next: newest.next },
    { next: canary },
    { sentry: newest.sentry, sentryNextjs: OWN["@sentry/nextjs"]! },
    newest,
    { ...newest, next: canary },
  ]
}

async function view(name: string, field: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("npm", ["view", name, field, "--json"])
  return JSON.parse(stdout)
}
