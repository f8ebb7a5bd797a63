/** Spans of time in which the tracer loaded a chunk of its own, in milliseconds since the time origin. */
const loads: { readonly from: number; to: number }[] = []

/** Loads a chunk of the tracer, which must not show as something that the page was waiting for. */
export async function loadOwn<T>(load: () => Promise<T>): Promise<T> {
  const span = { from: performance.now(), to: Infinity }
  loads.push(span)
  try {
    return await load()
  } finally {
    span.to = performance.now()
  }
}

/** The name of a chunk is the bundler's; what tells it is that it was asked for and arrived while one was loaded. */
export function isOwnScript({ initiatorType, startTime, responseEnd }: PerformanceResourceTiming): boolean {
  const isScript = initiatorType === "script" || initiatorType === "link"
  return isScript && loads.some(({ from, to }) => startTime >= from && responseEnd <= to)
}
