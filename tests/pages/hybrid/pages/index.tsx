import Link from "next/link"

export default function Home() {
  return (
    <>
      <h1>home</h1>
      <Link href="/blog/1">blog 1</Link>
      <Link href="/news">news</Link>
    </>
  )
}
