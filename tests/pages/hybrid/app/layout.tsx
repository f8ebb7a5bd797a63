import { RouteObserver } from "pagespan/react"
import type { ReactNode } from "react"
import { TestHandles } from "./test-handles"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        {children}
        <RouteObserver />
        <TestHandles />
      </body>
    </html>
  )
}
