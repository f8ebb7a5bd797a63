import { readFileSync } from "node:fs"

/**
 * State that outlives a call, declared at the top level of a module: `let`, an object that is created there, and names on the
 * global object. Constants that are typed as read-only are none.
 */
const TOP_LEVEL =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: (?!Readonly)[^=\n]+)? = (?:\/\*[^*]*\*\/ )?(?:new [A-Z]|\[\]$|\[\[|\{\}$))/gm
const GLOBAL_NAME = /Symbol\.for\(([^)]*)\)/g

/** Each as `file: name`. */
export function moduleState(files: readonly string[], read = (file: string) => readFileSync(file, "utf8")): string[] {
  return files.flatMap((file) => {
    const text = read(file)
    const variables = [...text.matchAll(TOP_LEVEL)].map(([, mutable, constant]) => mutable ?? constant)
    return [...variables, ...globalNames(text)].map((name) => `${file}: ${name}`)
  })
}

/** Names in a source text by which the global object holds state, as they are written. */
export function globalNames(text: string): string[] {
  return [...text.matchAll(GLOBAL_NAME)].map(([, name]) => name ?? "")
}
