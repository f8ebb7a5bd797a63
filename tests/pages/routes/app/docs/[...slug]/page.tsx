export default async function Docs({ params }: { params: Promise<{ slug: string[] }> }) {
  return <h1>docs {(await params).slug.join(" ")}</h1>
}
