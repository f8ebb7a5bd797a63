import Link from "next/link"
import { FailButton } from "./fail-button"

export const dynamic = "force-dynamic"

export default function InstallPaths() {
  return (
    <main>
      <h1>Desk</h1>
      <Link href="/items/7">Seventh item</Link>
      <FailButton />
    </main>
  )
}
