import { join } from "node:path"
import { PACKAGE_DIRECTORY } from "#otel/cli/package/build.ts"

const REPOSITORY = join(import.meta.dirname, "../..")

/**
 * What the set-up of the inspector's build makes before the first test. A test file that imports this module, directly or
 * through another file, runs after that set-up (see `tests/suite/test-projects.ts`).
 */

/** The production build of the inspector, relative to the repository's root. */
export const INSPECTOR_BUILD = ".next"
/** The package as `npm pack` takes it. */
export const PACKAGE = join(REPOSITORY, PACKAGE_DIRECTORY)

/** Compiled programs of the package. They start in half the time of their sources. */
export const PACKAGED_COMMAND = join(PACKAGE, "lib/cli/main.js")
export const PACKAGED_START = join(PACKAGE, "lib/cli/server/start.js")
export const PACKAGED_STORE_PROCESS = join(PACKAGE, "lib/inspector/store/process/main.js")
export const PACKAGED_STORE_WRITER = join(PACKAGE, "lib/inspector/store/writer/thread.js")
