import * as Sentry from "@sentry/nextjs"
import { connection } from "next/server"
import { Suspense } from "react"

/** Also runs while the page is prerendered, when random numbers and the clock are not allowed. */
export async function generateMetadata() {
  Sentry.captureException(new Error("captured in generateMetadata"))
  return { title: "captured" }
}

async function Captured({ params }: { params: Promise<{ id: string }> }) {
  await connection()
  Sentry.captureMessage(`captured ${(await params).id}`)
  return <p>captured</p>
}

export default function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Captured params={params} />
    </Suspense>
  )
}
