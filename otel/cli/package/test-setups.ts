import { isAbsolute, join } from "node:path"
import { rolldown } from "rolldown"

/** What a test framework loads in each of its processes, by its path below the library without extension. */
const SETUPS = ["testing/vitest-setup", "testing/playwright"]

/**
 * Bundles each set-up with the package's own modules that it loads into one file. Vitest asks its main process for every module of a
 * test file: eight modules took 35 ms of each file, one takes 15 ms.
 */
export async function bundleTestSetups(lib: string): Promise<void> {
  for (const name of SETUPS) {
    const file = join(lib, `${name}.js`)
    const bundle = await rolldown({ platform: "node", input: file, external: isImportedPackage, logLevel: "silent" })
    await bundle.write({ file, format: "esm" })
    await bundle.close()
  }
}

function isImportedPackage(id: string): boolean {
  return !id.startsWith(".") && !isAbsolute(id)
}
