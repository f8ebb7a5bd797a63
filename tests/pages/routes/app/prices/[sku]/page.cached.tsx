import { connection } from "next/server"
import { Suspense } from "react"
import { getPrice } from "../get-price.ts"

async function Price({ params }: { params: Promise<{ sku: string }> }) {
  await connection()
  const { sku } = await params
  return <h1>price {await getPrice(sku)}</h1>
}

export default function Page({ params }: { params: Promise<{ sku: string }> }) {
  return (
    <Suspense fallback={<p>soon</p>}>
      <Price params={params} />
    </Suspense>
  )
}
