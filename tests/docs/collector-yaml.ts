/**
 * Finds errors in a Collector configuration: lines that are not mappings, and pipelines that name components which are not
 * configured. Supports the subset of YAML that the documentation uses.
 */
export function yamlProblems(text: string): string[] {
  const paths: string[] = []
  const problems: string[] = []
  const stack: { indent: number; key: string }[] = []
  const named: { section: string; names: string[] }[] = []
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const {
      indent = "",
      key = "",
      value = "",
    } = /^(?<indent> *)(?<key>[\w/.-]+):(?: (?<value>.+))?$/.exec(line)?.groups ?? {}
    if (key === "") problems.push(`not a mapping: ${line}`)
    while ((stack.at(-1)?.indent ?? -1) >= indent.length) stack.pop()
    stack.push({ indent: indent.length, key })
    paths.push(stack.map((each) => each.key).join("."))
    const list = /^\[(?<names>.*)\]$/.exec(value)?.groups?.["names"]
    if (list !== undefined && stack[0]?.key === "service")
      named.push({ section: key, names: list.split(",").map((name) => name.trim()) })
  }
  if (named.length === 0) problems.push("no pipeline")
  for (const { section, names } of named)
    for (const name of names) if (!paths.includes(`${section}.${name}`)) problems.push(`${section}: no ${name}`)
  return problems
}
