import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"

/**
 * Where the bundle of a checkout's programs is: a directory for each state of the sources. JavaScript, because `npm start`
 * runs it without a compiler.
 */
export function programBundle(project) {
  const hash = createHash("sha256").update(readFileSync(join(project, "package-lock.json")))
  const sources = join(project, "otel")
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  for (const file of files.filter((name) => /^\.[cm]?[jt]s$/.test(extname(name))).sort())
    hash.update(file).update(readFileSync(join(sources, file)))
  return join(project, "dist/programs", hash.digest("hex").slice(0, 20))
}
