import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"

/** A Node 20 thread accepts no loader in `execArgv`. This is text so that the package does not import tsx. */
const LOAD_SOURCE = `import('tsx/esm/api').then(({ register }) => {
  register()
  return import(require('node:worker_threads').workerData.file)
})`

export interface ThreadOptions {
  /** The thread's module in the package. Default: `source`. */
  readonly file: string | undefined
  /** The thread's module in the sources, relative to the working directory. */
  readonly source: string
  /** Megabytes of heap; the thread ends beyond them. */
  readonly memoryMb: number
  /** Megabytes of the heap's young generation. Default: Node's, 48. */
  readonly youngMb?: number
  readonly data?: object
}

/**
 * Starts a thread with an empty environment. The path of its module is computed, because a bundler must not resolve it: inside
 * a bundle, modules have no files.
 */
export function startThread({ file, source, memoryMb, youngMb, data }: ThreadOptions): Worker {
  const path = file ?? join(/* turbopackIgnore: true */ process.cwd(), source)
  const isSource = path.endsWith(".ts")
  return new Worker(isSource ? LOAD_SOURCE : path, {
    eval: isSource,
    workerData: { ...data, file: pathToFileURL(path).href },
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      ...(youngMb !== undefined && { maxYoungGenerationSizeMb: youngMb }),
    },
  })
}
