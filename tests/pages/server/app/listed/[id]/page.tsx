export const dynamicParams = false

export const generateStaticParams = () => [{ id: "first" }]

export default async function Listed({ params }: { params: Promise<{ id: string }> }) {
  return <h1>listed {(await params).id}</h1>
}
