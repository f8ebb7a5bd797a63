import { connection } from "next/server"
import { Suspense } from "react"
import { getTodos } from "../get-todos.ts"

async function Todos() {
  await connection()
  return <p>{(await getTodos()).join()}</p>
}

export default function Page() {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Todos />
    </Suspense>
  )
}
