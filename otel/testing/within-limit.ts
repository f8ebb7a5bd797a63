/** The value, or `otherwise` after the time. */
export async function withinLimit<T, Otherwise>(
  value: Promise<T>,
  limitMs: number,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Otherwise>((resolve) => (timer = setTimeout(() => resolve(otherwise), limitMs)))
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
