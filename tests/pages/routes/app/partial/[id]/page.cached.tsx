import { connection } from "next/server"
import { Suspense } from "react"

export const prefetch = "partial"

async function Heading({ params }: { params: Promise<{ id: string }> }) {
  await connection()
  return <h1>part {(await params).id}</h1>
}

export default function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Heading params={params} />
    </Suspense>
  )
}
