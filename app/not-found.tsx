import type { Metadata } from "next"
import Link from "next/link"
import { connection } from "next/server"
import { Message } from "#app/_ui/layout/message.tsx"

export const metadata: Metadata = { title: "Not found" }

/** Rendered for each request: scripts of a page made at build time would carry no nonce of this answer's policy. */
export default async function NotFound() {
  await connection()
  return (
    <Message title="There is no page here">
      <p>The address may be mistyped, or the page has moved.</p>
      <p>
        <Link href="/">What is happening now</Link>
      </p>
    </Message>
  )
}
