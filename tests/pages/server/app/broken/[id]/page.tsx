export const dynamic = "force-dynamic"

export default async function Broken({ params }: { params: Promise<{ id: string }> }) {
  throw new Error(`thrown for ${(await params).id.slice(0, 1)}`)
}
