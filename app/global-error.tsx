"use client"

import { ErrorView } from "#app/_ui/layout/error-view.tsx"
import "#app/_ui/tokens.css"
import "#app/_ui/base.css"

/** Takes the place of the root layout when that itself failed, so it brings document and styles along. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <head>
        <title>Application error · Pagespan</title>
        <meta name="color-scheme" content="light dark" />
      </head>
      <body>
        <main>
          <ErrorView error={error} retry={retry} />
        </main>
      </body>
    </html>
  )
}
