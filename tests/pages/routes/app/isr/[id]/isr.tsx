export const generateStaticParams = () => [{ id: "built" }]

export default async function Isr({ params }: { params: Promise<{ id: string }> }) {
  return <h1>isr {(await params).id}</h1>
}
