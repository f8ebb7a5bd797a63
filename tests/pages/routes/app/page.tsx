import { connection } from "next/server"

export default async function Home() {
  await connection()
  return <h1>home</h1>
}
