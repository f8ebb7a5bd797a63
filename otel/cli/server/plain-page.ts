export interface PlainPage {
  readonly status: number
  readonly title: string
  /** HTML below the title. */
  readonly body: string
  /** The browser asks again after this time, in seconds. Default: never. */
  readonly refreshSeconds?: number
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * A page of the server itself, for when no screen can answer. It has no style: the policy of the screens allows none in a
 * page, and it must read well in a dark browser nevertheless.
 */
export function plainPage({ status, title, body, refreshSeconds, headers }: PlainPage): Response {
  const refresh = refreshSeconds === undefined ? "" : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh}<title>${title}</title>
${body}
</html>
`
  return new Response(page, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers },
  })
}
