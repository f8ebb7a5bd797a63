import { Suspense } from "react"

export default function Item({ params }: PageProps<"/items/[id]">) {
  return (
    <Suspense fallback={<p>Loading</p>}>
      <Name params={params} />
    </Suspense>
  )
}

async function Name({ params }: Pick<PageProps<"/items/[id]">, "params">) {
  const { id } = await params
  return <h1>Item {id}</h1>
}
