import { notFound } from "next/navigation"

export default async function Item({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  if (id === "missing") notFound()
  return <h1>item {id}</h1>
}
