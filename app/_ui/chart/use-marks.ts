"use client"

import { useEffect, useState } from "react"
import type { ChartMark } from "./chart-data.ts"

/**
 * The marks once they have arrived. A refresh keeps the marks before until its own arrive, and equal ones for good. So does a
 * stream that breaks: the screen shows the failure where it matters.
 */
export function useMarks(arriving: Promise<readonly ChartMark[]>): readonly ChartMark[] {
  const [marks, setMarks] = useState<readonly ChartMark[]>([])
  useEffect(() => {
    let isShown = true
    const show = async () => {
      try {
        const next = await arriving
        if (isShown) setMarks((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next))
      } catch {
        // The marks before stay.
      }
    }
    void show()
    return () => {
      isShown = false
    }
  }, [arriving])
  return marks
}
