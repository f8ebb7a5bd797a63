export const dynamic = "force-dynamic"

async function fail() {
  "use server"
  throw new Error("thrown in a server action")
}

export default function Action() {
  return (
    <form action={fail}>
      <button type="submit">fail</button>
    </form>
  )
}
