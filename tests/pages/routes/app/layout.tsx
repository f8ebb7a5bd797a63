import Link from "next/link"
import { RouteObserver } from "pagespan/react"
import { type ReactNode, Suspense } from "react"
import { TestHandles } from "./test-handles"

const LINKS = ["/", "/static", "/items/1", "/items/2", "/items/new", "/docs/a/b", "/photo/7", "/jump", "/slow"]

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
        {children}
        <TestHandles />
        <Suspense fallback={null}>
          <RouteObserver />
        </Suspense>
      </body>
    </html>
  )
}
