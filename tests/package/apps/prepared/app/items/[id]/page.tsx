import { connection } from "next/server"
import { Suspense } from "react"
import { getPrice } from "../../get-price"

interface Props {
  readonly params: Promise<{ id: string }>
}

async function Item({ params }: Props) {
  const { id } = await params
  await connection()
  return <h1>{`item ${id} for ${await getPrice(id)}`}</h1>
}

export default function Page({ params }: Props) {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Item params={params} />
    </Suspense>
  )
}
