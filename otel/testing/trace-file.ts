import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { finished } from "node:stream/promises"
import { createGzip, type Gzip } from "node:zlib"
import { PRIVATE_FILE_MODE } from "../protocol/private-files.ts"

/** The directory of the files, below the working directory. */
export const TRACE_DIRECTORY = "pagespan-traces"
const ENDING = ".otlp.jsonl.gz"
/** Files in the directory. The oldest are deleted. */
const FILE_LIMIT = 50
/** Text in one file, before it is compressed. */
const FILE_LIMIT_BYTES = 512 * 2 ** 20

/** The file of a run's part: each shard and each process writes one. */
export function traceFilePath(run: string, shard: string | undefined): string {
  const parts = [run, ...(shard === undefined ? [] : [shard]), process.pid]
  return join(TRACE_DIRECTORY, `${parts.join("-").replaceAll(/[^\w.@+-]/g, "_")}${ENDING}`)
}

/** A destination that writes requests of OTLP/JSON, one per line: what `pagespan import` and the screens read. */
export class TraceFile {
  #open: { readonly gzip: Gzip; readonly written: Promise<void> } | undefined
  #bytes = 0

  constructor(readonly file: string) {}

  async send(body: string): Promise<number> {
    this.#bytes += body.length
    if (this.#bytes > FILE_LIMIT_BYTES) throw new Error(`${this.file} has reached its limit of 512 MiB`)
    const { gzip, written } = (this.#open ??= open(this.file))
    const taken = new Promise<void>((resolve, reject) =>
      gzip.write(`${body}\n`, (error) => (error ? reject(error) : resolve())),
    )
    await Promise.race([taken, written]).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`${this.file} cannot be written (${error.code ?? error.message})`, { cause: error })
    })
    return 0
  }

  async close(): Promise<void> {
    this.#open?.gzip.end()
    await this.#open?.written
  }
}

function open(file: string): { gzip: Gzip; written: Promise<void> } {
  const directory = dirname(file)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, ".gitignore"), "*\n")
  deleteOldest(directory)
  const gzip = createGzip({ level: 1 })
  const target = createWriteStream(file, { mode: PRIVATE_FILE_MODE })
  target.once("error", (error) => gzip.destroy(error))
  gzip.pipe(target)
  const written = finished(target)
  // `send` and `close` report it; a rejection before either must not end the process.
  written.catch(() => undefined)
  gzip.on("error", () => undefined)
  return { gzip, written }
}

function deleteOldest(directory: string): void {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => ({ path: join(directory, name), time: modified(join(directory, name)) }))
    .toSorted((a, b) => b.time - a.time)
  for (const { path } of files.slice(FILE_LIMIT - 1)) rmSync(path, { force: true })
}

/** 0 for a file that another process has deleted meanwhile. */
function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
