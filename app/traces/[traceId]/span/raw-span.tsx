"use client"

import { useState } from "react"
import { CopyButton } from "#app/ui/copy-button.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { ScrollBox } from "#app/ui/scroll-box.tsx"
import { shownText } from "#app/ui/shown-text.ts"
import styles from "./span-panel.module.css"

/** Characters shown; the copy has all of them. */
const SHOWN_LIMIT = 100_000

/** The span as OTLP/JSON, asked for when it is opened. */
export function RawSpan({ traceId, spanId }: { traceId: string; spanId: string }) {
  const [text, setText] = useState<string>()
  const load = async () => {
    const response = await fetch(`/api/traces/${traceId}/spans/${spanId}/raw`)
    setText(response.ok ? JSON.stringify(await response.json(), null, 2) : "The store did not answer.")
  }
  return (
    <section>
      <details
        className={styles.details}
        onToggle={({ currentTarget }) => {
          if (currentTarget.open && text === undefined) load().catch(() => setText("The server could not be reached."))
        }}
      >
        <summary>Raw JSON</summary>
        {text === undefined ? (
          <p>Reading…</p>
        ) : (
          <>
            <CopyButton text={text} what="raw JSON" labelled />
            <ScrollBox label="Raw JSON">
              <pre className={styles.raw}>{shownText(text.slice(0, SHOWN_LIMIT))}</pre>
            </ScrollBox>
            {text.length > SHOWN_LIMIT && (
              <small>
                The first {formatCount(SHOWN_LIMIT)} of {formatCount(text.length)} characters.
              </small>
            )}
          </>
        )}
      </details>
    </section>
  )
}
