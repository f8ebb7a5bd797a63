"use client"

import { useSearchParams } from "next/navigation"

/** Without a Suspense boundary around it. */
export function Searched() {
  return <h1>{useSearchParams().toString()}</h1>
}
