import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
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
