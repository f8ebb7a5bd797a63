import { readFileSync } from "node:fs"
import { join } from "node:path"
import { apply, type Change, describe } from "./changes.ts"
import { checkOut } from "./checkout.ts"
import type { PublicApp } from "./public-app.ts"

/** What every app gets: pnpm shows an app only the packages that it lists. */
const UNDER_TEST = [
  "next",
  "react",
  "react-dom",
  "@opentelemetry/api",
  "@sentry/nextjs",
  "@sentry/browser",
  "@sentry/core",
  "@sentry/opentelemetry",
]

/** The versions of Next, React, OpenTelemetry's API and Sentry's SDK that this repository tests. */
export function versionsUnderTest(): Change {
  const manifest = join(import.meta.dirname, "../../../package.json")
  const { dependencies } = JSON.parse(readFileSync(manifest, "utf8")) as { dependencies: Record<string, string> }
  const packages = Object.fromEntries(UNDER_TEST.map((name) => [name, dependencies[name]]))
  return { kind: "versions", packages, why: "the versions under test" }
}

/** Checks out an app, and applies its changes, of which it prints each. */
export async function checkOutPatched(
  app: PublicApp,
  directory: string,
  mirrors: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  print(`${app.name}: ${app.repository} at ${app.commit}, ${app.licence}`)
  await checkOut(app, directory, mirrors)
  for (const change of [versionsUnderTest(), ...app.changes]) {
    apply(directory, change)
    print(`${app.name}: ${describe(change)}`)
  }
}
