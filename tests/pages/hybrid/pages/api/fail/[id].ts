import type { NextApiRequest } from "next"

export default function handler({ query }: NextApiRequest) {
  throw new Error(`thrown by an API route for ${String(query["id"])}`)
}
