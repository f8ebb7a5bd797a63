import { RouteObserver } from "pagespan/react"
import { type ReactNode, Suspense } from "react"
import { TestHandles } from "./test-handles"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>
        {children}
        <Suspense>
          <RouteObserver />
        </Suspense>
        <TestHandles />
      </body>
    </html>
  )
}
