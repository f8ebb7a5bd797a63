import { Suspense } from "react"

type Params = Promise<Record<string, string | string[]>>

async function Told({ params }: { params: Params }) {
  return <p>{JSON.stringify(await params)}</p>
}

export default function Page({ params }: { params: Params }) {
  return (
    <>
      <h1>docs</h1>
      <Suspense fallback={<p>waiting</p>}>
        <Told params={params} />
      </Suspense>
    </>
  )
}
