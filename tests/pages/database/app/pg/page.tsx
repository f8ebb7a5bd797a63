import { pool } from "../database"

export const dynamic = "force-dynamic"

export default async function Page() {
  const { rows } = await pool.query<{ name: string }>("SELECT $1::text AS name", ["a secret value"])
  return <p>{rows[0]?.name}</p>
}
