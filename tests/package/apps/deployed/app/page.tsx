import Link from "next/link"

export default function Home() {
  return (
    <main>
      <h1>Home</h1>
      <Link href="/items/7" prefetch={false}>
        Seventh item
      </Link>
    </main>
  )
}
