import type { Metadata } from "next"
import { cacheLife } from "next/cache"
import { notFound, redirect } from "next/navigation"

interface Props {
  readonly params: Promise<{ how: string; id: string }>
}

export const generateStaticParams = () => [{ how: "withdrawn", id: "old" }]

/** The title of an article that exists while the app is built, and is withdrawn, moved or broken afterwards. */
async function titleOf({ params }: Props): Promise<string> {
  const { how, id } = await params
  return readTitle(how, id)
}

async function readTitle(how: string, id: string): Promise<string> {
  "use cache"
  cacheLife({ stale: 3_600, revalidate: 1, expire: 7_200 })
  if (process.env["NEXT_PHASE"] === "phase-production-build") return id
  if (how === "withdrawn") notFound()
  if (how === "moved") redirect("/static?secret=moved")
  throw new Error("thrown by a cached function of an article")
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: await titleOf(props) }
}

export default async function Article(props: Props) {
  return <h1>{await titleOf(props)}</h1>
}
