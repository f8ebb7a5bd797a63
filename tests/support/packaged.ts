import { join } from "node:path"
import { PACKAGE_DIRECTORY } from "#otel/package/build.ts"

const LIBRARY = join(import.meta.dirname, "../..", PACKAGE_DIRECTORY, "lib")

/** The command and the inspector as the package holds them, made by the global set-up: what `npx pagespan` runs. */
export const PACKAGED_COMMAND = join(LIBRARY, "cli/main.js")
export const PACKAGED_START = join(LIBRARY, "command/start.js")
