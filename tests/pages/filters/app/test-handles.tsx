"use client"

import { trace } from "@opentelemetry/api"
import { useEffect } from "react"

/** Starts and ends one of the app's own spans. Returns what its `end()` threw. */
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
