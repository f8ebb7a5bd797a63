"use client"

import { type ReactNode, Suspense, useState } from "react"

interface ResultFrameProps {
  readonly address: string
  readonly isPending: boolean
  readonly fallback: ReactNode
  readonly children: ReactNode
}

/**
 * Shows the fallback only when the address changes and the result is slow. A refresh of the same address keeps the current
 * content, and a fast result keeps the focus.
 */
export function ResultFrame({ address, isPending, fallback, children }: ResultFrameProps) {
  const [shown, setShown] = useState({ address, place: address })
  if (shown.address !== address) setShown({ address, place: isPending ? address : shown.place })
  return (
    <Suspense key={shown.place} fallback={fallback}>
      {children}
    </Suspense>
  )
}
