import type { Import } from "#tests/support/source-files.ts"

/** The parts of the repository that the import rules know. `entry` is a public entry such as `otel/server.ts`. */
export const PARTS = ["protocol", "sdk", "testing", "entry", "inspector", "cli", "app"] as const
export type Part = (typeof PARTS)[number]

/** Data flows one way: what each part may import beside itself. */
export const MAY_IMPORT: Readonly<Record<Part, readonly Part[]>> = {
  protocol: [],
  sdk: ["protocol"],
  testing: ["protocol"],
  entry: ["protocol", "sdk", "testing"],
  inspector: ["protocol"],
  cli: ["protocol", "inspector"],
  app: ["entry"],
}

/** Where a server sends its spans to the inspector in the same process: the only file in which SDK and inspector meet. */
const SEAM = "otel/sdk/server/local-inspector.ts"
/** What the screens import of the inspector. */
const FOR_SCREENS = /^otel\/inspector\/(?:queries|live)\//
/** What route handlers import beside that: the handlers that they mount. */
const FOR_ROUTE_HANDLERS = /^otel\/inspector\/(?:api|mcp)\/|^otel\/inspector\/instance\.ts$/

export function partOf(path: string): Part | undefined {
  if (path.startsWith("app/")) return "app"
  const [root, folder, ...rest] = path.split("/")
  if (root !== "otel" || folder === undefined) return undefined
  if (rest.length === 0) return "entry"
  return PARTS.find((part) => part === folder && part !== "entry" && part !== "app")
}

export function isAllowed({ file, target }: Import): boolean {
  const [from, to] = [partOf(file), partOf(target)]
  if (from === undefined || to === undefined) return false
  if (from === to || MAY_IMPORT[from].includes(to)) return true
  if (from === "inspector" || from === "cli") return target === SEAM
  if (from !== "app") return false
  return FOR_SCREENS.test(target) || (file.endsWith("/route.ts") && FOR_ROUTE_HANDLERS.test(target))
}

/** Import circles, each as the files along it. Type-only imports count. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const targets = groupBy(imports, ({ file }) => file)
  const done = new Set<string>()
  const circles: string[][] = []
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start !== -1) return void circles.push([...path.slice(start), file])
    if (done.has(file)) return
    for (const { target } of targets.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return circles
}

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
