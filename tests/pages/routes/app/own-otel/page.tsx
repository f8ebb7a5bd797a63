"use client"

import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
import { useEffect } from "react"

/** An app that brings an OpenTelemetry instrumentation of its own. */
export default function OwnOtel() {
  useEffect(() => {
    const instrumentation = new FetchInstrumentation()
    void fetch("/api/things/1").finally(() => instrumentation.disable())
  }, [])
  return <h1>own instrumentation</h1>
}
