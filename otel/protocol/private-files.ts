/** Modes of files on disk: records are private to their user. */
export const PRIVATE_DIRECTORY_MODE = 0o700
export const PRIVATE_FILE_MODE = 0o600
const PRIVATE_UMASK = 0o077

/** On the global object, because a bundler may load this module more than once. */
const INHERITED = Symbol.for("pagespan.umask")
const kept = globalThis as { [INHERITED]?: number }

/** Makes all files that this process and its children create private to the user. Call it at the start of a program, not in a library. */
export function keepFilesPrivate(): void {
  kept[INHERITED] ??= process.umask(PRIVATE_UMASK)
}

/**
 * Starts another program, such as an editor, with the umask of the user. Until `start` returns, or its promise settles,
 * this process must set the mode of each file that it writes.
 */
export function withInheritedUmask<T>(start: () => T): T {
  const inherited = kept[INHERITED]
  if (inherited === undefined) return start()
  process.umask(inherited)
  let started: T | undefined
  try {
    started = start()
    return started
  } finally {
    if (started instanceof Promise) started.then(restore, restore)
    else restore()
  }
}

function restore(): void {
  process.umask(PRIVATE_UMASK)
}
