import type { ForeignApp } from "#tests/package/foreign-app.ts"

export const BUNDLERS = ["turbopack", "webpack"] as const
export type Bundler = (typeof BUNDLERS)[number]

/** The arguments of `next build`. Next before 16 has none for webpack, its default. */
export function bundlerArguments(app: ForeignApp, bundler: Bundler): string[] {
  return bundler === "webpack" && Number.parseInt(app.versionOf("next")) < 16 ? [] : [`--${bundler}`]
}
