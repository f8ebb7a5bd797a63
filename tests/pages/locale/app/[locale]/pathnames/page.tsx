export default async function Page({ params }: PageProps<"/[locale]/pathnames">) {
  const { locale } = await params
  return <h1>pathnames {locale}</h1>
}
