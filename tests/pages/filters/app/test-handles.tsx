"use client"

import { trace } from "@opentelemetry/api"
import { useEffect } from "react"

/** Begins and ends a span of the app's own, and answers what its `end()` threw. */
export function TestHandles(): null {
  useEffect(() => {
    Object.assign(window, {
      endSpan: (name: string): string => {
        const span = trace.getTracer("app").startSpan(name, { root: true })
        try {
          span.end()
          return "nothing"
        } catch (error) {
          return String(error)
        }
      },
    })
  }, [])
  return null
}
