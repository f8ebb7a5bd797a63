import Link from "next/link"
import { RouteObserver } from "pagespan/react"
import { Fragment, type ReactNode, Suspense } from "react"
import { TestHandles } from "./test-handles"

const LINKS = ["/", "/static", "/items/1", "/items/2", "/items/new", "/docs/a/b", "/photo/7", "/jump", "/slow"]

/** With Cache Components everything that is read for a visitor must be in a Suspense boundary. */
const Visited = process.env["PAGES_VARIANT"] === "cached" ? Suspense : Fragment

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          {LINKS.map((href) => (
            <Link key={href} href={href} prefetch={false}>
              {href}
            </Link>
          ))}
          <a href="#part">part</a>
        </nav>
        <Visited>{children}</Visited>
        <Suspense fallback={null}>
          <RouteObserver />
          <TestHandles />
        </Suspense>
      </body>
    </html>
  )
}
