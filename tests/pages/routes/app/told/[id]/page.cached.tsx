import * as Sentry from "@sentry/nextjs"
import { connection } from "next/server"
import { Suspense } from "react"

/** Also where the page is made ahead of its visitors, which may use no chance and no clock. */
export async function generateMetadata() {
  Sentry.captureException(new Error("told where a title is made"))
  return { title: "told" }
}

async function Told({ params }: { params: Promise<{ id: string }> }) {
  await connection()
  Sentry.captureMessage(`told of ${(await params).id}`)
  return <p>told</p>
}

export default function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Told params={params} />
    </Suspense>
  )
}
