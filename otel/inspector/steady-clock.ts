/**
 * A clock for durations, which never runs backwards: where someone sets the machine's clock back, it goes on from the time
 * that it had. A wait that the machine's clock measures would take an hour longer.
 *
 * @param clock milliseconds since the epoch.
 */
export function steadyClock(clock: () => number): () => number {
  let last = clock()
  let offset = 0
  return () => {
    const now = clock()
    if (now < last) offset += last - now
    last = now
    return now + offset
  }
}
