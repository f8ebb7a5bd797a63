import { RouteObserver } from "pagespan/react"
import { type ReactNode, Suspense } from "react"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Suspense fallback={null}>
          <RouteObserver />
        </Suspense>
        {children}
      </body>
    </html>
  )
}
