export default async function Page({ params }: { params: Promise<Record<string, string | string[]>> }) {
  return <h1>docs {JSON.stringify(await params)}</h1>
}
