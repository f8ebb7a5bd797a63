import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { vi } from "vitest"
import { init } from "#otel/cli/commands/init.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

export const LAYOUT = `export default function Layout({ children }) {
  return (
    <html>
      <body>{children}</body>
    </html>
  )
}
`

/** Creates a directory with these files, by path. It is deleted after the test. */
export async function appOnDisk(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const directory = await temporaryDirectory()
  for (const [path, text] of Object.entries({ "package.json": "{}", ...files })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

/** The manifest of an app that lacks no package. */
export const READY = `{ "dependencies": { "pagespan": "0.1.0" } }`

/** Creates an app in JavaScript that lacks no package. */
export function readyApp(files: Readonly<Record<string, string>>): Promise<string> {
  return appOnDisk({ "package.json": READY, "app/layout.js": LAYOUT, ...files })
}

/** Runs `pagespan init --yes` and returns its output. */
export async function runInit(directory: string, options: { dsn?: string; install?: boolean } = {}): Promise<string> {
  let output = ""
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void (output += `${line}\n`))
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean((output += String(text))))
  try {
    await init({ directory, yes: true, dryRun: false, ...options })
  } finally {
    for (const spy of [print, write]) spy.mockRestore()
  }
  return output
}

export function read(directory: string, path: string): string {
  return readFileSync(join(directory, path), "utf8")
}
