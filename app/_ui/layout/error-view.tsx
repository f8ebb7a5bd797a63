"use client"

import { currentTraceId, reportError } from "pagespan/react"
import { useEffect, useRef, useState } from "react"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import styles from "./error-view.module.css"

interface ErrorViewProps {
  readonly error: unknown
  readonly retry: () => void
}

/** Error boundary view: reports the error once, shows its ids and offers a retry. */
export function ErrorView({ error, retry }: ErrorViewProps) {
  const digest = digestOf(error)
  const [traceId, setTraceId] = useState<string>()
  const reported = useRef<unknown>(undefined)
  useEffect(() => {
    if (reported.current === error) return
    reported.current = error
    reportError(error)
    setTraceId(currentTraceId())
  }, [error])
  const quotable = digest !== undefined || traceId !== undefined
  return (
    <div className={styles.error} role="alert">
      <h1>Application error: a {digest === undefined ? "client" : "server"}-side exception has occurred</h1>
      <p>Try again.{quotable && " If the error persists, include this in a report:"}</p>
      {quotable && (
        <dl className={styles.quote}>
          {digest !== undefined && <Quoted what="Digest" text={digest} />}
          {traceId !== undefined && <Quoted what="Trace ID" text={traceId} />}
        </dl>
      )}
      <p className={styles.ways}>
        <button type="button" onClick={retry}>
          Try again
        </button>
        {/* Full page loads, because the app around this view failed. */}
        {traceId !== undefined && <a href={`/traces/${traceId}`}>Open this trace</a>}{" "}
        {/* oxlint-disable-next-line nextjs/no-html-link-for-pages */}
        <a href="/">Overview</a>
      </p>
    </div>
  )
}

function Quoted({ what, text }: { what: string; text: string }) {
  return (
    <div>
      <dt>{what}</dt>
      <dd>
        <code>{text}</code> <CopyButton text={text} what={what} />
      </dd>
    </div>
  )
}

/** Next.js gives server errors a digest, which the server's error record has too. */
function digestOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("digest" in error)) return undefined
  return typeof error.digest === "string" && error.digest !== "" ? error.digest : undefined
}
