export default async function Item({ params }: PageProps<"/items/[id]">) {
  const { id } = await params
  return <h1>Item {id}</h1>
}
