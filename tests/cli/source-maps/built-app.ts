import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

const MAP = { version: 3, sources: ["a.ts"], sourcesContent: ["alpha()"], names: [], mappings: "AAAA" }

export const SCRIPTS = ["static/chunks/a1.js", "server/app/page.js", "server/chunks/[root]__b2._.js"]

interface BuiltApp {
  readonly directory: string
  /** Files in addition, or instead, by their path in the build. */
  readonly files?: Readonly<Record<string, string>>
  readonly config?: object
}

/** The output of a build as Next writes it, with three scripts that have maps and one that has none. */
export async function builtApp({ files = {}, config = {} }: Partial<BuiltApp> = {}): Promise<string> {
  const directory = await temporaryDirectory()
  const scripts = SCRIPTS.flatMap((path) => {
    // Turbopack names the map of a page's script by another hash.
    const map = path.replace("a1.js", "m9.js").concat(".map")
    const name = encodeURIComponent(map.split("/").at(-1)!)
    const padding = `/*${path.repeat(40)}*/`
    return [
      [path, `${padding}alpha()\n//# sourceMappingURL=${name}\n`],
      [map, JSON.stringify({ ...MAP, file: path, mappings: "gBAAA" })],
    ]
  })
  const build: Record<string, string> = {
    "required-server-files.json": JSON.stringify({
      config: { basePath: "/shop", compiler: { define: { __PAGESPAN_RELEASE__: "c0ffee" } }, ...config },
      relativeAppDir: "apps/shop",
    }),
    ...Object.fromEntries(scripts),
    "standalone/apps/shop/.next/server/app/page.js": scripts[2]![1]!,
    "server/app/page_client-reference-manifest.js": "globalThis.x = 1",
    "static/css/c3.css.map": "{}",
    ...files,
  }
  for (const [path, text] of Object.entries(build)) {
    mkdirSync(dirname(join(directory, ".next", path)), { recursive: true })
    writeFileSync(join(directory, ".next", path), text)
  }
  return directory
}
