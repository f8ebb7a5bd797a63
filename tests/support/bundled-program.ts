import { join } from "node:path"
import { build } from "vite"
import { temporaryDirectory } from "./temporary-directory.ts"

/**
 * A program of the tests as one file that Node runs by itself, for tests that start it many times: to load it from its
 * sources takes longer than all that it does.
 *
 * @param source path of its TypeScript.
 * @returns path of the file, which is gone after the test.
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
