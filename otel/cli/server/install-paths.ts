import { existsSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import type { Programs } from "../../inspector/inspector.ts"
import { findManifest } from "../version.ts"

/** Where the inspector runs from: the repository, where it builds itself, or the package, which contains the build. */
export interface InstallPaths {
  /** Contains `.next`, and `node_modules` with the Next that serves it. */
  readonly directory: string
  readonly isPackage: boolean
  readonly programs: Programs
}

/** Contains the programs: `otel` of a checkout, its bundle, or `lib` of the package. */
const LIBRARY = join(import.meta.dirname, "../..")

export function findInstallPaths(): InstallPaths {
  const packaged = join(LIBRARY, "../inspector")
  const isPackage = existsSync(packaged)
  return {
    directory: isPackage ? packaged : dirname(findManifest()),
    isPackage,
    programs: programsBelow(LIBRARY, extname(import.meta.filename)),
  }
}

/** @param extension `.ts` of sources, `.js` of what is compiled or bundled. */
export function programsBelow(library: string, extension: string): Programs {
  return {
    storeProcess: join(library, `inspector/store/process/main${extension}`),
    storeWriter: join(library, `inspector/store/writer/thread${extension}`),
    sourceMapWorker: join(library, `inspector/source-maps/worker${extension}`),
  }
}
