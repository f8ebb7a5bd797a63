import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { BuildOutput, BuiltScript } from "./build-output.ts"
import { identify, type Unidentified } from "./debug-ids.ts"
import type { UploadedScript } from "./source-bundle.ts"

/** A script that is not uploaded. */
export interface Skipped {
  readonly path: string
  readonly reason: Unidentified | "has no debug id, and experimental.sri fixes its content"
}

export interface Prepared {
  readonly uploads: readonly UploadedScript[]
  readonly skipped: readonly Skipped[]
  /** Scripts that got a debug id now. */
  readonly injected: number
}

/**
 * Gives each script of the build with a source map its debug id.
 *
 * @param isDryRun whether no file is changed.
 */
export function prepare(build: BuildOutput, isDryRun: boolean): Prepared {
  const uploads: UploadedScript[] = []
  const skipped: Skipped[] = []
  let injected = 0
  for (const built of build.scripts) {
    const script = readFileSync(built.file, "utf8")
    const map = readFileSync(built.map, "utf8")
    const identified = identify(script, map)
    const { path } = built
    if (typeof identified === "string") skipped.push({ path, reason: identified })
    else if (identified.script !== script && build.hasIntegrity && path.startsWith("static/"))
      skipped.push({ path, reason: "has no debug id, and experimental.sri fixes its content" })
    else {
      if (identified.script !== script) injected++
      if (!isDryRun) write(built, script, identified)
      uploads.push({ ...identified, path: `${build.basePath}/_next/${path}` })
    }
  }
  return { uploads, skipped, injected }
}

function write({ file, map, copies }: BuiltScript, before: string, after: { script: string; map: string }): void {
  // The map first: a script with an id whose map has none would not be repaired by another run.
  replace(map, after.map)
  for (const copy of copies) if (readFileSync(copy, "utf8") === before) replace(copy, after.script)
  replace(file, after.script)
}

/** A run that ends here leaves the old file or the new one. */
function replace(file: string, text: string): void {
  if (readFileSync(file, "utf8") === text) return
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text, { mode: statSync(file).mode })
  renameSync(temporary, file)
}

/** Deletes the maps that browsers could load. Returns how many. */
export function deletePublicMaps({ publicMaps }: BuildOutput): number {
  for (const path of publicMaps) rmSync(path, { force: true })
  return publicMaps.length
}
