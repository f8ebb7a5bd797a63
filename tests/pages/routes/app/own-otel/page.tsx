"use client"

import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { useEffect } from "react"

/** An app with its own OpenTelemetry instrumentation. */
export default function OwnOtel() {
  useEffect(() => {
    const instrumentation = new FetchInstrumentation()
    void fetch("/api/things/1").finally(() => instrumentation.disable())
  }, [])
  return <h1>own instrumentation</h1>
}
