/** Builds the replacement of a function. */
type Wrap<F> = (native: F) => F

/**
 * Replaces a function of the page.
 *
 * @returns restores it. Where other code has patched it since, ours stays below that patch and only forwards.
 * @throws {TypeError} where the page has frozen it.
 */
export function patch<K extends string, F extends (this: never, ...args: never[]) => unknown>(
  owner: Record<K, F>,
  name: K,
  wrap: Wrap<F>,
): () => void {
  const native = owner[name]
  const wrapped = wrap(native)
  let isStopped = false
  const patched = function (this: unknown, ...args: unknown[]) {
    return Reflect.apply(isStopped ? native : wrapped, this, args)
  } as unknown as F
  owner[name] = patched
  return () => {
    isStopped = true
    if (owner[name] === patched) owner[name] = native
  }
}
