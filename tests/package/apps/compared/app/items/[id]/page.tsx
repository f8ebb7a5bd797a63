import { Suspense } from "react"

async function Stock() {
  await new Promise((resolve) => setTimeout(resolve, 100))
  return <p>In stock</p>
}

export default async function Item({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return (
    <main>
      <h1>Item {id}</h1>
      <Suspense fallback={<p>Loading</p>}>
        <Stock />
      </Suspense>
    </main>
  )
}
