/** Modes of what lies on disk: records tell what people did, and are nobody else's on this machine. */
export const PRIVATE_DIRECTORY_MODE = 0o700
export const PRIVATE_FILE_MODE = 0o600
const PRIVATE_UMASK = 0o077

/** Kept on the process, because a bundler may load this module more than once. */
const INHERITED = Symbol.for("pagespan.umask")
const kept = globalThis as { [INHERITED]?: number }

/** From here on all files that this process and its children make are its user's alone. For a program's own start, not for a library. */
export function keepFilesPrivate(): void {
  kept[INHERITED] ??= process.umask(PRIVATE_UMASK)
}

/**
 * Starts a program that is not ours, such as an editor: its files have the modes that its user chose. What this process
 * writes meanwhile has to name its mode: until `start` returns, or what it returns has settled.
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
