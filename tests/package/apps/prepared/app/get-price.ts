"use cache"

export async function getPrice(id: string) {
  return id.length
}
