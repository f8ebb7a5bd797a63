import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { lockedPackages } from "#tests/package/locked-packages.ts"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import type { Bundler } from "../bundlers.ts"
import { compareApp, FailsWithoutPagespan } from "../compare-app.ts"
import { COMPATIBILITY_PAGE } from "../marked-text.ts"
import { isRight, problems, rowOfObstacle, tableRow } from "../table.ts"
import { appsNamed } from "./catalogue.ts"
import { startPostgres } from "./postgres.ts"
import { install } from "./install.ts"
import { checkOutPatched } from "./patch.ts"
import type { PublicApp } from "./public-app.ts"
import { cellOf, writeApps } from "./report.ts"

/**
 * Fetches public apps, prints what it changes in each, compares each with and without Pagespan by each bundler, and writes the
 * rows into `docs/reference/compatibility.md`.
 *
 * @param names of the catalogue. Default: all.
 * @param mirrors a directory with bare clones, `owner+name/repo` each. Default: GitHub.
 * @returns whether everything was right.
 */
export async function runPublic(
  names: readonly string[],
  bundlers: readonly Bundler[],
  mirrors: string | undefined,
): Promise<boolean> {
  let isAllRight = true
  const managers = await lockedPackages("package-managers")
  process.env["PATH"] = `${join(managers, ".bin")}${delimiter}${process.env["PATH"]}`
  // Else pnpm downloads the version of itself that an app names.
  process.env["npm_config_manage_package_manager_versions"] = "false"
  for (const app of appsNamed(names)) {
    const directory = await mkdtemp(join(tmpdir(), "pagespan-public-"))
    const stopPostgres = app.postgresPort === undefined ? undefined : await startPostgres(app.postgresPort)
    try {
      await checkOutPatched(app, directory, mirrors, console.log)
      await install(app, directory)
      for (const bundler of bundlers) isAllRight = (await comparePublic(app, directory, bundler)) && isAllRight
    } catch (error) {
      // The other apps are compared all the same.
      console.error(`${app.name}: ${String(error)}`)
      isAllRight = false
    } finally {
      await stopPostgres?.()
      await removeDirectory(directory)
    }
  }
  return isAllRight
}

async function comparePublic(app: PublicApp, directory: string, bundler: Bundler): Promise<boolean> {
  const { features, withoutTests = "none" } = app
  const shown = { name: cellOf(app), bundler, features, withoutTests }
  const say = (line: string) => console.log(`${app.name}, ${bundler}: ${line}`)
  try {
    const compared = await compareApp({ ...app, directory, bundler })
    for (const problem of problems(compared)) say(problem)
    report(tableRow(shown, compared))
    return isRight(compared)
  } catch (error) {
    if (!(error instanceof FailsWithoutPagespan)) throw error
    say(error.message)
    report(rowOfObstacle(shown, "does not build without Pagespan either"))
    return true
  }
}

/** A run that is interrupted leaves the rows that it has. */
function report(row: string): void {
  console.log(row)
  writeApps(COMPATIBILITY_PAGE, [row])
}
