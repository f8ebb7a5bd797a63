import type { ReactNode } from "react"
import { Observer } from "./observer"

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Observer />
      </body>
    </html>
  )
}
