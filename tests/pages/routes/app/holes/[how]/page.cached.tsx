import { cacheLife } from "next/cache"
import { Suspense } from "react"

export const generateStaticParams = () => [{ how: "broken" }]

async function generatedAt(): Promise<number> {
  "use cache"
  // Too short for Next to make it part of a prerender.
  cacheLife({ stale: 1, revalidate: 1, expire: 60 })
  if (process.env["NEXT_PHASE"] !== "phase-production-build") throw new Error("thrown by a short-lived cached function")
  return Date.now()
}

async function Hole() {
  return <p>{await generatedAt()}</p>
}

/** A shell that was made in the build, around what is made for each request. */
export default function Holes() {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Hole />
    </Suspense>
  )
}
