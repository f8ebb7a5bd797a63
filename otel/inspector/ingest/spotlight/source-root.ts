import { readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, relative, resolve } from "node:path"

/** No source file that a person wrote is larger. */
const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/**
 * The one folder whose files may be opened and shown. A request names files, and a request can come from anywhere: links
 * are followed before it is decided whether a file lies within.
 */
export class SourceRoot {
  constructor(private readonly directory: string | undefined) {}

  get isConfigured(): boolean {
    return this.directory !== undefined
  }

  /** The file's real path; `undefined` when it is none, is too large, or lies elsewhere. Paths are absolute, URLs of files, or relative to the root. */
  async find(told: string): Promise<string | undefined> {
    if (this.directory === undefined || told.includes("\0")) return undefined
    try {
      const root = await realpath(this.directory)
      const file = await realpath(resolve(root, told.replace(/^file:\/\//, "")))
      const within = relative(root, file)
      if (within === "" || isAbsolute(within) || within.split(/[\\/]/, 1)[0] === "..") return undefined
      const { size } = await stat(file)
      return size <= FILE_LIMIT_BYTES && (await stat(file)).isFile() ? file : undefined
    } catch {
      // There is no such file, or it may not be read: to whoever asks that is the same.
      return undefined
    }
  }

  async lines(told: string): Promise<readonly string[] | undefined> {
    const file = await this.find(told)
    // Between the look and the read it may have gone.
    const text = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined)
    return text?.split(/\r?\n/)
  }
}
