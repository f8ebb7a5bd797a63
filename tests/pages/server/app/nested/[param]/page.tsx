interface Props {
  readonly params: Promise<{ param: string }>
}

export async function generateMetadata({ params }: Props) {
  return { title: (await params).param }
}

export async function generateViewport({ params }: Props) {
  return { themeColor: (await params).param === "7" ? "white" : "black" }
}

export default async function Nested({ params }: Props) {
  return <h1>{(await params).param}</h1>
}
