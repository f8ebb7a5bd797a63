"use client"

import { currentTraceId, reportError } from "pagespan/react"
import { useEffect, useRef, useState } from "react"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import styles from "./error-view.module.css"

interface ErrorViewProps {
  readonly error: unknown
  readonly retry: () => void
}

/** What a person sees when a part of the application failed: which side, what to quote, and two ways on. Reports the error once. */
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
      <p>Trying again may help.{quotable && " To have it looked into, quote:"}</p>
      {quotable && (
        <dl className={styles.quote}>
          {digest !== undefined && <Quoted what="Digest" text={digest} />}
          {traceId !== undefined && <Quoted what="Trace id" text={traceId} />}
        </dl>
      )}
      <p className={styles.ways}>
        <button type="button" onClick={retry}>
          Try again
        </button>
        {/* A full load, since the application around this view is what failed. */}
        {/* oxlint-disable-next-line nextjs/no-html-link-for-pages */}
        <a href="/">Back to the start</a>
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

/** Next gives errors of the server a digest, which the server's own record of the error has too. */
function digestOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("digest" in error)) return undefined
  return typeof error.digest === "string" && error.digest !== "" ? error.digest : undefined
}
