import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A fenced code block of the documentation. */
export interface Block {
  /** File and line, as the name of its test. */
  readonly place: string
  readonly file: string
  readonly language: string
  readonly text: string
}

const FENCE = /^(?<fence>```+)(?<language>[\w-]*)\n(?<text>[\s\S]*?)^\k<fence>$/gm

/** The pages of the documentation, with those in the root. */
export function pages(): string[] {
  const docs = readdirSync("docs", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
  return ["CHANGELOG.md", "README.md", "SECURITY.md", ...docs].sort()
}

export function allBlocks(): Block[] {
  return pages().flatMap((file) => {
    const text = readFileSync(file, "utf8")
    return [...text.matchAll(FENCE)].map(({ groups, index }) => ({
      file,
      place: `${file}:${text.slice(0, index).split("\n").length}`,
      language: groups?.["language"] ?? "",
      text: groups?.["text"] ?? "",
    }))
  })
}

/** The parts of a block that shows several files. A comment line such as `// next.config.ts` starts each part. */
export function filesOf({ text }: Block): string[] {
  const parts = text.split(/^\/\/ [\w[\]()./-]+\.(?:tsx?|m?js)\b.*$/m)
  return parts.map((part) => part.trim()).filter((part) => part !== "")
}
