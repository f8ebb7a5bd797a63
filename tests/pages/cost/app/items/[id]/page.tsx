import Link from "next/link"

/** Rendered for each request. */
export default async function Item({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  return (
    <main>
      <h1>Item {id}</h1>
      <Link href="/">Back</Link>
      {Array.from({ length: 20 }, (_, index) => (
        <p key={index}>
          Paragraph {index + 1} about item {id}.
        </p>
      ))}
    </main>
  )
}
