"use client"

import { useState } from "react"
import { curlCommand } from "#otel/inspector/queries/trace/curl-command.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import styles from "./span-panel.module.css"

const FEEDBACK_MS = 2_000

type ActionSpan = Pick<SpanDetail, "traceId" | "spanId" | "attributes">

/** Actions on a span. */
export function SpanActions({ span, onZoom }: { span: ActionSpan; onZoom: () => void }) {
  const curl = curlCommand(span.attributes)
  return (
    <div className={styles.actions}>
      <button type="button" onClick={onZoom} title="Zoom to this span (s)">
        Zoom to span
      </button>
      <CopyLink span={span} />
      <CopySubtree span={span} />
      {curl !== undefined && <CopyLater label="Copy as curl" title="Without secrets" make={async () => curl} />}
    </div>
  )
}

/** The URL already holds zoom and search. */
function CopyLink({ span }: { span: ActionSpan }) {
  return (
    <CopyLater
      label="Copy link"
      make={async () => {
        const address = new URL(window.location.href)
        address.searchParams.set("span", span.spanId)
        return address.href
      }}
    />
  )
}

function CopySubtree({ span }: { span: ActionSpan }) {
  return (
    <CopyLater
      label="Copy as text"
      title="This span and its descendants as compact text, for a language model"
      make={async () => {
        const response = await fetch(`/api/traces/${span.traceId}/spans/${span.spanId}/text`)
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        return response.text()
      }}
    />
  )
}

interface CopyLaterProps {
  readonly label: string
  readonly title?: string
  readonly make: () => Promise<string>
}

function CopyLater({ label, title, make }: CopyLaterProps) {
  const [feedback, setFeedback] = useState<string>()
  const copy = async () => {
    const outcome = await make()
      .then((text) => navigator.clipboard.writeText(text))
      .then(
        () => "Copied",
        () => "Copy failed",
      )
    setFeedback(outcome)
    setTimeout(() => setFeedback(undefined), FEEDBACK_MS)
  }
  return (
    <button type="button" title={title} onClick={() => void copy()}>
      <span aria-live="polite">{feedback ?? label}</span>
    </button>
  )
}
