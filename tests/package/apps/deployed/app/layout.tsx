import { connection } from "next/server"
import { RouteObserver } from "pagespan/react"
import type { ReactNode } from "react"

/** Pages are rendered for each visitor, as nonces need it, except where there is no server. */
export default async function Layout({ children }: { children: ReactNode }) {
  if (process.env["APP_FORM"]?.startsWith("export") !== true) await connection()
  return (
    <html lang="en">
      <head>
        <link rel="icon" href="data:," />
      </head>
      <body>
        {children}
        <RouteObserver />
      </body>
    </html>
  )
}
