import { revalidatePath } from "next/cache"

async function renew() {
  "use server"
  revalidatePath("/renewed")
}

/** A static page, whose action has another one generated again. */
export default function Renewing() {
  return (
    <form action={renew}>
      <h1>renewing</h1>
      <button type="submit">renew</button>
    </form>
  )
}
