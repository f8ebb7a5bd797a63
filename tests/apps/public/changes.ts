import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A change to a public app, which the compared copies have in common. */
export type Change = { readonly why: string } & (
  | {
      readonly kind: "edit"
      readonly file: string
      /** Must occur exactly once. */
      readonly from: string
      readonly to: string
    }
  | { readonly kind: "write"; readonly file: string; readonly text: string }
  | { readonly kind: "remove"; readonly file: string }
  | {
      readonly kind: "versions"
      /** By package. `undefined` removes a package that the app lists. */
      readonly packages: Readonly<Record<string, string | undefined>>
    }
)

type Kind<K extends Change["kind"]> = Extract<Change, { kind: K }>

interface Manifest {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * Applies a change to the app in the directory.
 *
 * @throws {Error} with the file and the text, if the app is not as the change expects.
 */
export function apply(directory: string, change: Change): void {
  switch (change.kind) {
    case "edit":
      return edit(directory, change)
    case "write":
      return writeFileSync(join(directory, change.file), change.text)
    case "remove":
      return remove(directory, change)
    case "versions":
      return setVersions(directory, change)
  }
}

/** The change as a line, such as "`app/page.tsx` is removed: it has no root layout". */
export function describe(change: Change): string {
  return `${subjectOf(change)}: ${change.why}`
}

function subjectOf(change: Change): string {
  switch (change.kind) {
    case "edit":
      return `\`${change.file}\` is edited`
    case "write":
      return `\`${change.file}\` is added`
    case "remove":
      return `\`${change.file}\` is removed`
    case "versions":
      return Object.entries(change.packages)
        .map(([name, version]) => (version === undefined ? `no \`${name}\`` : `\`${name}\` ${version}`))
        .join(", ")
  }
}

/** Replaces the import of fonts of Google, which a build downloads, with fonts without styles. */
export function withoutGoogleFonts(file: string, fonts: string, statement: string): Change {
  const stand = `const [${fonts}] = Array(${fonts.split(",").length}).fill((_: object) => ({ className: '', variable: '' }));`
  return { kind: "edit", file, from: statement, to: stand, why: "a build would download fonts of Google" }
}

/** Removes a text that a file has once. */
export function withoutText(file: string, from: string, why: string): Change {
  return { kind: "edit", file, from, to: "", why }
}

/** Has the app's own Playwright tests run in the comparison's Chromium. */
export function inComparedChromium(from: string): Change {
  const to = "use: { ...devices['Desktop Chrome'], launchOptions: { executablePath: process.env.CHROMIUM_PATH } }"
  return {
    kind: "edit",
    file: "playwright.config.ts",
    from,
    to,
    why: "its tests run in the Chromium of the comparison",
  }
}

/** Has the app's own Playwright tests use the server of the copy. */
export function atComparedServer(from: string, to: string): Change {
  return { kind: "edit", file: "playwright.config.ts", from, to, why: "its tests use the server of the copy" }
}

function edit(directory: string, { file, from, to }: Kind<"edit">): void {
  const path = join(directory, file)
  const parts = (readIfFile(path) ?? fail(file, "there is no such file")).split(from)
  if (parts.length !== 2) fail(file, `has this text ${parts.length - 1} times, not once:\n${from}`)
  writeFileSync(path, parts.join(to))
}

function remove(directory: string, { file }: Kind<"remove">): void {
  const path = join(directory, file)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) fail(file, "there is no such file")
  rmSync(path, { recursive: true })
}

function setVersions(directory: string, { packages }: Kind<"versions">): void {
  const path = join(directory, "package.json")
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest
  for (const [name, version] of Object.entries(packages)) {
    const listed = [manifest.dependencies, manifest.devDependencies].find((group) => group?.[name] !== undefined)
    if (version !== undefined) (listed ?? (manifest.dependencies ??= {}))[name] = version
    else delete (listed ?? fail("package.json", `does not list ${name}`))[name]
  }
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

function readIfFile(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : undefined
}

function fail(file: string, problem: string): never {
  throw new Error(`a change does not apply: ${file}: ${problem}`)
}
