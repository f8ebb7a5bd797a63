import Link from "next/link"

export default function Links() {
  return (
    <>
      <h1>links</h1>
      <Link href="/partial/1">a page that is prefetched in part</Link>
    </>
  )
}
