/** When the tracer loaded chunks of its own, in milliseconds since the time origin. */
const loads: { readonly from: number; to: number }[] = []

/** Loads a chunk of the tracer. It must not appear as a resource that the page waits for. */
export async function loadOwn<T>(load: () => Promise<T>): Promise<T> {
  const span = { from: performance.now(), to: Infinity }
  loads.push(span)
  try {
    return await load()
  } finally {
    span.to = performance.now()
  }
}

/** Whether a script was requested and arrived while the tracer loaded a chunk. The bundler chooses the names of chunks, so they identify nothing. */
export function isOwnScript({ initiatorType, startTime, responseEnd }: PerformanceResourceTiming): boolean {
  const isScript = initiatorType === "script" || initiatorType === "link"
  return isScript && loads.some(({ from, to }) => startTime >= from && responseEnd <= to)
}
