import { join } from "node:path"
import { PACKAGE_DIRECTORY } from "#otel/cli/package/build.ts"

const LIBRARY = join(import.meta.dirname, "../..", PACKAGE_DIRECTORY, "lib")

/** Programs as the package holds them, made by the global set-up: what `npx pagespan` runs. They start in half the time of their sources. */
export const PACKAGED_COMMAND = join(LIBRARY, "cli/main.js")
export const PACKAGED_START = join(LIBRARY, "cli/server/start.js")
export const PACKAGED_STORE_PROCESS = join(LIBRARY, "inspector/store/process/main.js")
export const PACKAGED_STORE_WRITER = join(LIBRARY, "inspector/store/writer/thread.js")
