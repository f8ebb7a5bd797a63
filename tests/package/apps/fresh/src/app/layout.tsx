import { type ReactNode, Suspense } from "react"
import { RouteObserver } from "pagespan/react"

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
