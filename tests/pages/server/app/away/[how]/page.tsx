import { forbidden, notFound, redirect } from "next/navigation"

export default async function Away({ params }: { params: Promise<{ how: string }> }) {
  const { how } = await params
  if (how === "redirect") redirect("/behind")
  if (how === "forbidden") forbidden()
  notFound()
}
