/**
 * State that a process has once. It lives on the global object, because the start command and Next's bundles each load
 * their own copy of a module. Everything else of the inspector hangs off these values.
 */
const KEYS = {
  /** Creates the `Inspector` of this process. */
  createInspector: Symbol.for("pagespan.create-inspector"),
  /** The `Inspector` of this process. */
  inspector: Symbol.for("pagespan.inspector"),
  /** Locks that this process has on directories, by path. */
  locks: Symbol.for("pagespan.directory-locks"),
  /** Counts of errors that nothing caught. */
  uncaught: Symbol.for("pagespan.uncaught"),
} as const

/**
 * Returns the value of the process, and creates it on the first call.
 *
 * @typeParam T the same type in every call with the key.
 */
export function processState<T>(key: keyof typeof KEYS, create: () => T): T {
  const holder = globalThis as { [key: symbol]: unknown }
  return (holder[KEYS[key]] ??= create()) as T
}
