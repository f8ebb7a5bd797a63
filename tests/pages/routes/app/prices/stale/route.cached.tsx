import { revalidateTag } from "next/cache"

/** Prices are served once more, and read again meanwhile. */
export function POST(): Response {
  revalidateTag("prices", "max")
  return new Response()
}
