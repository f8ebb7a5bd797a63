import { connection } from "next/server"

export default async function InstallPaths() {
  await connection()
  return <h1>home</h1>
}
