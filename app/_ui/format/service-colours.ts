/** Number of `--service-*` colours in `tokens.css`. */
const COLOUR_COUNT = 12

/**
 * Assigns a colour to each service. A hash of the name decides, so that a service has the same colour on every screen. On a
 * collision the later name in alphabetical order takes the next free colour. Past twelve services, colours repeat.
 */
export function serviceColours(services: Iterable<string>): ReadonlyMap<string, number> {
  const colours = new Map<string, number>()
  const taken = new Set<number>()
  for (const service of [...new Set(services)].sort()) {
    let colour = hash(service) % COLOUR_COUNT
    if (taken.size < COLOUR_COUNT) while (taken.has(colour)) colour = (colour + 1) % COLOUR_COUNT
    taken.add(colour)
    colours.set(service, colour)
  }
  return colours
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
