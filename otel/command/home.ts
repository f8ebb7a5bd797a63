import { existsSync } from "node:fs"
import { extname, join } from "node:path"

/** Where the inspector runs from: the sources, which it builds itself, or the package, which holds it built. */
export interface Home {
  /** Holds `.next`, and the `node_modules` that serve it. */
  readonly directory: string
  readonly isPackage: boolean
  readonly storeProcess: string
}

const LIBRARY = join(import.meta.dirname, "..")

export function findHome(): Home {
  const packaged = join(LIBRARY, "../inspector")
  const isPackage = existsSync(packaged)
  return {
    directory: isPackage ? packaged : join(LIBRARY, ".."),
    isPackage,
    storeProcess: join(LIBRARY, `store/process/main${extname(import.meta.filename)}`),
  }
}
