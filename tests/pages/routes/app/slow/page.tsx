import { connection } from "next/server"
import { Suspense } from "react"

const WAIT_MS = 600

async function Late() {
  await connection()
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  return <h2>late</h2>
}

export default function Slow() {
  return (
    <>
      <h1>slow</h1>
      <Suspense fallback={<p>waiting</p>}>
        <Late />
      </Suspense>
    </>
  )
}
