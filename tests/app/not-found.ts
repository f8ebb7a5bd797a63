/** What Next adds to each page of a record that is not there. */
const MARK = '<meta name="robots" content="noindex"/>'

/**
 * The status by which a response says that nothing is there: a page that streams before the store has answered, which takes
 * longer than 0.7 s on a busy machine, has status 200 already, and then its text says so.
 */
export function notFoundStatus(status: number | undefined, html: string): number | undefined {
  return status === 200 && html.includes(MARK) ? 404 : status
}
