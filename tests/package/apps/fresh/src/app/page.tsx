import Link from "next/link"

export default function InstallPaths() {
  return (
    <main>
      <h1>Shop</h1>
      <Link href="/items/7">Seventh item</Link>
    </main>
  )
}
