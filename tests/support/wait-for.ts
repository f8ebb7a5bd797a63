/** The first pause, and the longest: a probe that asks the store forty times a second slows what it waits for. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 200
const GROWTH = 1.4
/** Ends a test that hangs. Promises no speed. */
const LIMIT_MS = 30_000

/**
 * Polls until the probe returns a value other than `undefined` and `false`.
 *
 * @param what names the condition in the error.
 * @throws {Error} after `limitMs`.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = LIMIT_MS,
): Promise<T> {
  const deadline = Date.now() + limitMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LONGEST_PAUSE_MS)) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
