export default async function Item({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return <h1>item {id}</h1>
}
