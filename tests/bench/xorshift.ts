/** Pseudo-random numbers from 0 to 1, the same for each run. */
export function xorshift(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

export function hex(random: () => number, digits: number): string {
  let text = ""
  while (text.length < digits)
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0")
  return text.slice(0, digits)
}
