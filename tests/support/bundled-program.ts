import { join } from "node:path"
import { build } from "vite"
import { temporaryDirectory } from "./temporary-directory.ts"

/**
 * Bundles a test's program into one file, for tests that start it many times: loading its sources takes longer than running
 * it.
 *
 * @param source path of the TypeScript file.
 * @returns path of the bundle, which is deleted after the test.
 */
export async function bundledProgram(source: string): Promise<string> {
  const outDir = await temporaryDirectory()
  await build({
    configFile: false,
    logLevel: "error",
    resolve: { tsconfigPaths: true },
    ssr: { noExternal: true },
    build: {
      ssr: source,
      outDir,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: "program.mjs" } },
    },
  })
  return join(outDir, "program.mjs")
}
