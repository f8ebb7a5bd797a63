export const dynamic = "force-dynamic"

type Item = { params: Promise<{ id: string }> }

export async function generateMetadata({ params }: Item) {
  return { title: `Item ${(await params).id}` }
}

/** A page of about the size of a product page: what rendering costs is what tracing is measured beside. */
export default async function Page({ params }: Item) {
  const { id } = await params
  return (
    <main>
      <h1>Item {id}</h1>
      <ul>
        {Array.from({ length: 50 }, (_, index) => (
          <li key={index}>
            <a href={`/items/${index}`}>Item {index}</a>
          </li>
        ))}
      </ul>
    </main>
  )
}
