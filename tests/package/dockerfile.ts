export interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of the last stage of a Dockerfile, and those before it. Continued lines are joined. */
export function stagesOf(dockerfile: string): { readonly before: Instruction[]; readonly last: Instruction[] } {
  const lines = dockerfile
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const instructions = lines.map((line): Instruction => {
    const [, name, text] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (name === undefined || text === undefined) throw new Error(`not an instruction: ${line}`)
    return { name, text }
  })
  const start = instructions.findLastIndex(({ name }) => name === "FROM")
  return { before: instructions.slice(0, start), last: instructions.slice(start) }
}

/** The texts of the instructions with that name. */
export function textsOf(instructions: readonly Instruction[], name: string): string[] {
  return instructions.filter((each) => each.name === name).map(({ text }) => text)
}

/** The words of a JSON array of a program, as in `ENTRYPOINT ["node", "main.js"]`, possibly behind options. */
export function programOf(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf("["))) as string[]
}

/** The variables of `ENV` instructions. No value contains a space. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  return Object.fromEntries(
    textsOf(instructions, "ENV")
      .flatMap((text) => text.split(/\s+/))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  )
}
