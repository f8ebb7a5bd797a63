import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Features of Next in an app's folders, by the names of files and folders below its routes. */
const IN_FOLDERS: readonly (readonly [RegExp, string])[] = [
  [/^\[(?:locale|lang|lng)\]$/, "`[locale]`"],
  [/^@/, "parallel slots"],
  [/^\(\.{1,3}\)/, "intercepted routes"],
  [/^\[\[?\.\.\./, "catch-all routes"],
]
const IN_CONFIGURATION = {
  cacheComponents: "Cache Components",
  reactCompiler: "React Compiler",
  basePath: "`basePath`",
  trailingSlash: "`trailingSlash`",
}
const PACKAGES = ["@sentry/nextjs", "@vercel/otel", "next-intl", "@clerk/nextjs", "drizzle-orm", "@next/mdx"]

/** What an app has that other apps may not have. */
export function featuresOf(directory: string): string[] {
  const source = existsSync(join(directory, "src/app")) ? join(directory, "src") : directory
  const names = readdirSync(join(source, "app"), { recursive: true, encoding: "utf8" }).flatMap((path) =>
    path.split("/"),
  )
  const files = new Set([...readdirSync(source), ...readdirSync(directory)])
  const configuration = [...files].filter((name) => name.startsWith("next.config"))
  const text = configuration.map((name) => readFileSync(join(directory, name), "utf8")).join("\n")
  const manifest = readFileSync(join(directory, "package.json"), "utf8")
  return [
    ...["pages", "proxy.ts", "middleware.ts"].filter((name) => files.has(name)).map((name) => `\`${name}\``),
    ...IN_FOLDERS.filter(([pattern]) => names.some((name) => pattern.test(name))).map(([, feature]) => feature),
    ...Object.entries(IN_CONFIGURATION).flatMap(([option, feature]) => (text.includes(option) ? [feature] : [])),
    ...PACKAGES.filter((name) => manifest.includes(`"${name}"`)).map((name) => `\`${name}\``),
  ]
}
