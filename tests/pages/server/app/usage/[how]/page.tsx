import { headers } from "next/headers"
import { Searched } from "../searched"

export const generateStaticParams = () => []

/** A page that Next makes on demand, once for all visitors, and that then reads something of one request. */
export default async function Usage({ params }: { params: Promise<{ how: string }> }) {
  const { how } = await params
  if (how === "search") return <Searched />
  return <h1>{how === "headers" ? (await headers()).get("accept") : how}</h1>
}
