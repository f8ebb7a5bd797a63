import type { Metadata } from "next"
import Link from "next/link"
import { connection } from "next/server"
import { Message } from "#app/_ui/layout/message.tsx"

export const metadata: Metadata = { title: "Page not found" }

/** Rendered per request: a page prerendered at build time has no nonce for the content security policy. */
export default async function NotFound() {
  await connection()
  return (
    <Message title="Page not found">
      <p>Check the address, or go back to the overview.</p>
      <p>
        <Link href="/">Overview</Link>
      </p>
    </Message>
  )
}
