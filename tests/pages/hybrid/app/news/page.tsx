import { connection } from "next/server"

export default async function News() {
  await connection()
  return <h1>news</h1>
}
