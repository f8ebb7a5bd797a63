import { headers } from "next/headers"

export const dynamic = "error"
export const generateStaticParams = () => []

/** Declares that it is static, and reads something of one visitor nevertheless. */
export default async function Strict({ params }: { params: Promise<{ how: string }> }) {
  const { how } = await params
  return <h1>{how === "headers" ? (await headers()).get("accept") : how}</h1>
}
