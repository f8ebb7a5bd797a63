import Link from "next/link"
import { RouteObserver } from "pagespan/react"
import { type ReactNode, Suspense } from "react"
import { TestHandles } from "./test-handles"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <nav>
          {["/static", "/items/1", "/docs/a/b"].map((href) => (
            <Link key={href} href={href} prefetch={false}>
              {href}
            </Link>
          ))}
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
