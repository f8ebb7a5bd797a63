import { redirect } from "next/navigation"

async function go() {
  "use server"
  redirect("/items/5")
}

export default function ActionPage() {
  return (
    <form action={go}>
      <button type="submit">go</button>
    </form>
  )
}
