import Link from "next/link"
import type { ReactNode } from "react"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/about">About</Link> <Link href="/items/7">Item</Link> <Link href="/team">Team</Link>{" "}
          {/* oxlint-disable-next-line nextjs/no-html-link-for-pages -- a link that loads a new document */}
          <a href="/items/8">Item, loaded</a> <Link href="/">Home</Link>
        </nav>
        {children}
      </body>
    </html>
  )
}
