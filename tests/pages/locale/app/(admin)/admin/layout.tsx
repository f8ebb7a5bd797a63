import Link from "next/link"
import type { ReactNode } from "react"
import { TestHandles } from "../../test-handles"

/** A second root layout, in a group. */
export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Link href="/admin/users/7" prefetch={false}>
          user
        </Link>
        {children}
        <TestHandles />
      </body>
    </html>
  )
}
