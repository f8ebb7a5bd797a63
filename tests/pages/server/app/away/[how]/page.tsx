import { notFound, redirect } from "next/navigation"

export default async function Away({ params }: { params: Promise<{ how: string }> }) {
  if ((await params).how === "redirect") redirect("/behind")
  notFound()
}
