async function save(): Promise<void> {
  "use server"
}

export default async function Page({ params }: { params: Promise<{ locale: string }> }) {
  const { locale } = await params
  return (
    <form action={save}>
      <h1>pathnames {locale}</h1>
      <button type="submit">save</button>
    </form>
  )
}
