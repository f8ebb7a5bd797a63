export const runtime = "edge"

async function fail() {
  "use server"
  throw new Error("thrown at the edge in a server action")
}

export default function EdgeAction() {
  return (
    <form action={fail}>
      <button type="submit">fail</button>
    </form>
  )
}
