import { Suspense } from "react"

export const dynamic = "force-dynamic"

/** Longer than a test waits. */
const LONG_MS = 10_000

async function Never() {
  await new Promise((resolve) => setTimeout(resolve, LONG_MS))
  return <p>late</p>
}

export default function Hang() {
  return (
    <Suspense fallback={<p>the stream has begun</p>}>
      <Never />
    </Suspense>
  )
}
