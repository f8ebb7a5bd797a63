export default async function Page({ params }: PageProps<"/[locale]/reset/[token]">) {
  const { token } = await params
  return <h1>reset {token.length}</h1>
}
