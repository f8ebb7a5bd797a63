/** A value of the subset of YAML that the CI templates use: mappings, lists, plain and quoted text, literal blocks. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml }

interface Line {
  readonly indent: number
  readonly text: string
}

/** @throws {Error} with the line that is not of the subset. */
export function parseYaml(source: string): Yaml {
  const lines = source
    .split("\n")
    .map((text): Line => ({ indent: text.length - text.trimStart().length, text: text.trimStart() }))
  const { value, next } = read(lines, skipEmpty(lines, 0))
  if (skipEmpty(lines, next) < lines.length) throw new Error(`not read: ${lines[next]?.text}`)
  return value
}

interface Read {
  readonly value: Yaml
  readonly next: number
}

function skipEmpty(lines: readonly Line[], at: number): number {
  while (at < lines.length && lines[at]?.text === "") at++
  return at
}

function read(lines: readonly Line[], at: number): Read {
  return lines[at]?.text.startsWith("- ") ? readList(lines, at) : readMapping(lines, at)
}

function readList(lines: readonly Line[], start: number): Read {
  const list: Yaml[] = []
  const indent = lines[start]?.indent ?? 0
  let at = start
  while (lines[at]?.indent === indent && lines[at]?.text.startsWith("- ")) {
    const text = lines[at]?.text.slice(2) ?? ""
    const isMapping = /^[\w-]+:(?: |$)/.test(text)
    const inner = lines.with(at, { indent: indent + 2, text })
    const item: Read = isMapping ? readMapping(inner, at) : readScalar(inner, at, text, indent)
    list.push(item.value)
    at = skipEmpty(lines, item.next)
  }
  return { value: list, next: at }
}

function readMapping(lines: readonly Line[], start: number): Read {
  const mapping: Record<string, Yaml> = {}
  const indent = lines[start]?.indent ?? 0
  let at = start
  while (at < lines.length && lines[at]?.indent === indent) {
    const [, key, text = ""] = /^([\w.-]+):(?: (.*))?$/.exec(lines[at]?.text ?? "") ?? []
    if (key === undefined || key in mapping) throw new Error(`not a mapping: ${lines[at]?.text}`)
    const value: Read = text === "" ? read(lines, skipEmpty(lines, at + 1)) : readScalar(lines, at, text, indent)
    mapping[key] = value.value
    at = skipEmpty(lines, value.next)
  }
  return { value: mapping, next: at }
}

function readScalar(lines: readonly Line[], at: number, text: string, indent: number): Read {
  if (text !== "|") {
    if (/^[[{&*!>%@`#]|: | #/.test(text)) throw new Error(`not of the subset: ${text}`)
    return { value: text.startsWith('"') ? (JSON.parse(text) as string) : text, next: at + 1 }
  }
  const first = lines[at + 1]?.indent ?? 0
  if (first <= indent) throw new Error(`an empty block: ${lines[at]?.text}`)
  let next = at + 1
  while (next < lines.length && (lines[next]?.text === "" || (lines[next]?.indent ?? 0) >= first)) next++
  const block = lines
    .slice(at + 1, next)
    .map(({ indent: own, text: each }) => " ".repeat(Math.max(0, own - first)) + each)
  return { value: `${block.join("\n").trimEnd()}\n`, next }
}
