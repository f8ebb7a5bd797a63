"use client"

import { type ReactNode, Suspense, useState } from "react"

interface AnswerFrameProps {
  readonly address: string
  readonly isLate: boolean
  readonly fallback: ReactNode
  readonly children: ReactNode
}

/**
 * Waits where the screen will be, when what it is about has changed and takes its time. What is there stays while the same
 * is read again, and keeps its focus where the next is there soon.
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
