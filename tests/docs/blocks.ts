import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A fenced block of the documentation. */
export interface Block {
  /** File and line, to name it by. */
  readonly place: string
  readonly file: string
  readonly language: string
  readonly text: string
}

const FENCE = /^(?<fence>```+)(?<language>[\w-]*)\n(?<text>[\s\S]*?)^\k<fence>$/gm

/** All pages of the documentation, the README among them. */
export function pages(): string[] {
  const docs = readdirSync("docs", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath, entry.name))
  return ["README.md", ...docs].sort()
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

/** A block that shows several files names each in a comment of its own line, such as `// next.config.ts`. */
export function filesOf({ text }: Block): string[] {
  const parts = text.split(/^\/\/ [\w[\]()./-]+\.(?:tsx?|m?js)\b.*$/m)
  return parts.map((part) => part.trim()).filter((part) => part !== "")
}
