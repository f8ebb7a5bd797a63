import Link from "next/link"

export default function Prefetching() {
  return (
    <>
      <h1>prefetching</h1>
      <Link href="/items/77">visible link</Link>
    </>
  )
}
