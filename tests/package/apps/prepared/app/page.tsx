import Link from "next/link"

export default function Home() {
  return (
    <main>
      <h1>home</h1>
      <Link href="/items/1">item 1</Link>
      <Link href="/items/2" prefetch={true}>
        item 2
      </Link>
    </main>
  )
}
