/** Makes what stands in for a function that the page had. */
type Wrap<F> = (native: F) => F

/**
 * Puts a function of the page behind one of ours.
 *
 * @returns puts it back. Where someone has patched it again since, ours stays below theirs, as a pass-through.
 * @throws where the page has frozen it.
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
