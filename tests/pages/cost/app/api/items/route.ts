const ITEMS = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  name: `Item ${index + 1}`,
  price: (index * 37) % 101,
}))

export const dynamic = "force-dynamic"

export function GET(): Response {
  return Response.json(ITEMS)
}
