export default async function Page({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  return <h1>reset {token.length}</h1>
}
