import { prisma } from "./database"

export const dynamic = "force-dynamic"

export default async function Page() {
  const items = await prisma.item.findMany({ select: { name: true }, where: { name: "a secret value" } })
  return <h1>{items.map(({ name }) => name).join(", ")}</h1>
}
