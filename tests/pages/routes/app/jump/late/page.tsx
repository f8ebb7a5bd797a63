import { redirect } from "next/navigation"
import { connection } from "next/server"

const WAIT_MS = 1_500

export default async function LateJump() {
  await connection()
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  redirect("/items/9")
}
