import { cacheLife } from "next/cache"

export const generateStaticParams = () => [{ how: "fine" }, { how: "broken" }]

async function generatedAt(how: string): Promise<number> {
  "use cache"
  cacheLife({ stale: 3_600, revalidate: 1, expire: 7_200 })
  if (how === "broken" && process.env["NEXT_PHASE"] !== "phase-production-build")
    throw new Error("thrown by a stale cached function")
  return Date.now()
}

/** Static, and made again once it is older than a second. */
export default async function Stale({ params }: { params: Promise<{ how: string }> }) {
  const { how } = await params
  return <h1 data-made={await generatedAt(how)}>{how}</h1>
}
