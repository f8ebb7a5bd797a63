import { connection } from "next/server"
import { Suspense } from "react"
import { currentRoute } from "pagespan/route"
import { saveItem } from "../save-item.ts"
import { Shown } from "../shown.tsx"

async function Where() {
  await connection()
  return <pre id="server">{JSON.stringify(currentRoute())}</pre>
}

/** Shows what `currentRoute()` returns on the server, in a page and in a server action. */
export default function Page() {
  return (
    <>
      <h1>where</h1>
      <Suspense>
        <Where />
      </Suspense>
      <Shown save={saveItem} />
    </>
  )
}
