/** Digits in groups. The fixed locale makes server and browser render the same text. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US")
}

/** `1 span`, `1,200 spans`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

const UNITS = ["kB", "MB", "GB"] as const

/** Decimal units: `812 B`, `6.9 kB`, `5.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  let value = bytes / 1_000
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit] ?? ""}`
}
