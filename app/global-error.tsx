"use client"

import { ErrorView } from "#app/_ui/layout/error-view.tsx"
import "#app/_ui/tokens.css"
import "#app/_ui/base.css"

/** Replaces the root layout when the layout itself fails, so it renders the whole document and imports its styles. */
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
