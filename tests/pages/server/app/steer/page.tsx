import { notFound, redirect } from "next/navigation"

export const dynamic = "force-dynamic"

async function leave() {
  "use server"
  redirect("/behind")
}

async function lose() {
  "use server"
  notFound()
}

export default function Steer() {
  return (
    <>
      <form action={leave}>
        <button type="submit">leave</button>
      </form>
      <form action={lose}>
        <button type="submit">lose</button>
      </form>
    </>
  )
}
