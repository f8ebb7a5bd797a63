"use client"

import { type ReactNode, Suspense, useState } from "react"

interface AnswerFrameProps {
  readonly address: string
  readonly isLate: boolean
  readonly fallback: ReactNode
  readonly children: ReactNode
}

/**
 * Shows the fallback only when the address changes and the answer is slow. A refresh of the same address keeps the current
 * content, and a fast answer keeps the focus.
 */
export function AnswerFrame({ address, isLate, fallback, children }: AnswerFrameProps) {
  const [shown, setShown] = useState({ address, place: address })
  if (shown.address !== address) setShown({ address, place: isLate ? address : shown.place })
  return (
    <Suspense key={shown.place} fallback={fallback}>
      {children}
    </Suspense>
  )
}
