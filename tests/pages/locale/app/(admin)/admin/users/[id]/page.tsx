export default async function Page({ params }: PageProps<"/admin/users/[id]">) {
  const { id } = await params
  return <h1>user {id}</h1>
}
