/** Runs a piece of the tracer's work. Nothing that goes wrong in it reaches the page. */
export function safely(work: () => void): void {
  try {
    work()
  } catch {
    // A bug of the tracer, or a page that broke what it stands on: the page comes first, what was to be told is lost.
  }
}
