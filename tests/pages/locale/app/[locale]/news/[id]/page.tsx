export default async function Page({ params }: PageProps<"/[locale]/news/[id]">) {
  const { id } = await params
  return <h1>news {id}</h1>
}
