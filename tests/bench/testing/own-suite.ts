import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Suite } from "./turns.ts"

const CONFIGS = ["vitest.config", "vite.config"].flatMap((name) =>
  ["ts", "mts", "js", "mjs"].map((extension) => `${name}.${extension}`),
)

/**
 * The Vitest suite of a project, with the project's own configuration. Two files in the project add nothing and Pagespan to it.
 *
 * @param project directory of the project, with `pagespan` and `vitest` in its `node_modules`.
 * @param more arguments of Vitest.
 * @throws {Error} that says what the project lacks.
 */
export function ownSuite(project: string, more: readonly string[]): Suite & { remove(): void } {
  const directory = resolve(project)
  for (const needed of ["pagespan", "vitest"])
    if (!existsSync(join(directory, "node_modules", needed)))
      throw new Error(`${directory} has no ${needed} in its node_modules: install it there first`)
  const own = CONFIGS.find((name) => existsSync(join(directory, name)))
  if (own === undefined) throw new Error(`${directory} has none of ${CONFIGS.join(", ")}`)
  const files = { plain: "pagespan-bench.plain.mjs", traced: "pagespan-bench.traced.mjs" }
  writeFileSync(join(directory, files.plain), configOf(own, [], []))
  writeFileSync(
    join(directory, files.traced),
    configOf(own, ["pagespan/testing/vitest-setup"], ["pagespan/testing/vitest-reporter"]),
  )
  const argumentsWith = (file: string) => ["node_modules/vitest/vitest.mjs", "run", "--config", file, ...more]
  return {
    name: directory,
    directory,
    plain: argumentsWith(files.plain),
    traced: argumentsWith(files.traced),
    remove: () => {
      for (const file of Object.values(files)) rmSync(join(directory, file), { force: true })
    },
  }
}

function configOf(own: string, setupFiles: readonly string[], reporters: readonly string[]): string {
  return `import { mergeConfig } from "vitest/config"
import own from "./${own}"
const config = typeof own === "function" ? await own({ command: "serve", mode: "test" }) : await own
export default mergeConfig(config, {
  test: {
    setupFiles: ${JSON.stringify(setupFiles)},
    reporters: [...(config.test?.reporters ? [] : ["default"]), ...${JSON.stringify(reporters)}],
  },
})
`
}
