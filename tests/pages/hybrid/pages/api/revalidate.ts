import type { NextApiRequest, NextApiResponse } from "next"

/** Has a page generated again. */
export default async function handler({ query }: NextApiRequest, response: NextApiResponse) {
  await response.revalidate(String(query["path"])).catch(() => undefined)
  response.status(200).json({})
}
