"use client"

import { useEffect, useState } from "react"
import type { ChartMark } from "./chart-data.ts"

/**
 * The marks once they have arrived. During a refresh the previous marks stay until the new ones arrive, and remain if these are
 * equal or their stream breaks.
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
        // The stream broke. The chart keeps the previous marks.
      }
    }
    void show()
    return () => {
      isShown = false
    }
  }, [arriving])
  return marks
}
