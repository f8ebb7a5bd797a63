import { sql } from "drizzle-orm"
import { db } from "../database"

export async function GET(): Promise<Response> {
  const { rows } = await db.execute(sql`SELECT ${"a secret value"}::text AS name`)
  return Response.json(rows)
}
