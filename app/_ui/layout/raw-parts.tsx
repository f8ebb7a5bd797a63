"use client"

import { useEffect, useState } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownText } from "#app/_ui/format/text.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import styles from "./raw-parts.module.css"
import { ScrollBox } from "./scroll-box.tsx"

/** Characters shown. The copy button copies all of them. */
const SHOWN_LIMIT = 100_000

export interface RawPart {
  readonly title: string
  /** URL of JSON or text. */
  readonly address: string
  /** Field of the response to show; `undefined` shows all of it. */
  readonly member?: string
}

/** Raw JSON side by side, fetched when the section is opened. */
export function RawParts({ summary, parts }: { summary: string; parts: readonly RawPart[] }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles.raw} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      <div className={styles.parts}>{isOpen && parts.map((part) => <Part key={part.title} part={part} />)}</div>
    </details>
  )
}

function Part({ part }: { part: RawPart }) {
  const { title, address, member } = part
  const [text, setText] = useState<string>()
  useEffect(() => {
    const stop = new AbortController()
    void read(address, member, stop.signal).then((answer) => stop.signal.aborted || setText(answer))
    return () => stop.abort()
  }, [address, member])
  return (
    <div>
      <h4>
        {title} {text !== undefined && <CopyButton text={text} what={title} labelled />}
      </h4>
      {text === undefined ? (
        <p>Loading…</p>
      ) : (
        <ScrollBox label={title}>
          <pre>{shownText(text.slice(0, SHOWN_LIMIT))}</pre>
        </ScrollBox>
      )}
      {text !== undefined && text.length > SHOWN_LIMIT && (
        <small>
          The first {formatCount(SHOWN_LIMIT)} of {formatCount(text.length)} characters.
        </small>
      )}
    </div>
  )
}

async function read(address: string, member: string | undefined, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(address, { signal })
    if (!response.ok) return response.status === 404 ? "No longer stored." : "The store did not respond."
    return readable(await response.text(), member)
  } catch {
    return "Cannot reach the server."
  }
}

/** Indents JSON. Text that `JSON.stringify` would change otherwise stays as it is. */
function readable(text: string, member: string | undefined): string {
  try {
    const value: unknown = JSON.parse(text)
    if (member !== undefined) return JSON.stringify((value as Record<string, unknown>)[member], null, 2) ?? ""
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text // truncated, or not JSON
  }
}
