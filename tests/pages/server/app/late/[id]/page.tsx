import { Suspense } from "react"

export const dynamic = "force-dynamic"

async function Late({ id }: { id: string }) {
  await new Promise((resolve) => setTimeout(resolve, 50))
  if (id === "broken") throw new Error("thrown while it streams")
  return <p>late</p>
}

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return (
    <Suspense fallback={<p>soon</p>}>
      <Late id={id} />
    </Suspense>
  )
}
