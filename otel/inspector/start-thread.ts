import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"

/** Threads of Node 20 take no loader from the command line. Text, and no import of the package's. */
const LOAD_SOURCE = `import('tsx/esm/api').then(({ register }) => {
  register()
  return import(require('node:worker_threads').workerData.file)
})`

export interface ThreadOptions {
  /** Its module, in the package. Default: the source, below the working directory. */
  readonly file: string | undefined
  readonly source: string
  /** Memory that it may take, past which it ends. */
  readonly memoryMb: number
  /** Of that, what new objects take before they are looked through. Default: Node's, 48. */
  readonly youngMb?: number
  readonly data?: object
}

/** Starts a thread on a module of ours, which a bundler does not resolve: the app may run inside one, where modules have no files. Nothing of the environment travels. */
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
