import { forbidden, notFound, redirect, unauthorized } from "next/navigation"

export const dynamic = "force-dynamic"

export async function generateMetadata({ params }: { params: Promise<{ how: string }> }) {
  const { how } = await params
  if (how === "redirect") redirect("/behind")
  if (how === "forbidden") forbidden()
  if (how === "unauthorized") unauthorized()
  notFound()
}

export default function Untitled() {
  return <h1>untitled</h1>
}
