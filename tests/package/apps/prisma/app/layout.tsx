import { RouteObserver } from "pagespan/react"
import type { ReactNode } from "react"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <RouteObserver />
        {children}
      </body>
    </html>
  )
}
