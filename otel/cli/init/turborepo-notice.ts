import { dirname } from "node:path"
import { type AppFiles, readText } from "./app-files.ts"
import { leftToAuthor, type Note } from "./edit.ts"

const FILES = ["turbo.json", "turbo.jsonc"]
const TASK =
  "Turborepo hides variables of the shell from your app that this file does not list, those of Pagespan too: list them"
const LINE = '"globalPassThroughEnv": ["OTEL_*", "PAGESPAN_*", "SENTRY_*"],'

/** Variables that Turborepo does not pass on have no effect, and nothing says so. Those in `.env` files, which Next reads, have. */
export function turborepoNotice({ directory }: AppFiles): Note[] {
  const found = [...foldersAbove(directory)].flatMap((folder) =>
    FILES.flatMap((name) => {
      const text = readText(folder, name)
      return text === undefined ? [] : [{ name, text }]
    }),
  )
  const root = found.at(-1)
  const isListed = found.some(({ text }) => /"(?:!?OTEL_[^"]*|PAGESPAN_[^"]*)"|"envMode"\s*:\s*"loose"/.test(text))
  return root === undefined || isListed ? [] : [leftToAuthor(root.name, TASK, [LINE])]
}

function* foldersAbove(directory: string): Generator<string> {
  for (let folder = directory; ; folder = dirname(folder)) {
    yield folder
    if (folder === dirname(folder)) return
  }
}
