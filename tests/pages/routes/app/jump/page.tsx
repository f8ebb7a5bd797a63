import { redirect } from "next/navigation"

export default function Jump() {
  redirect("/items/9")
}
