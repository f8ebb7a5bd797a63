import type { ReactNode } from "react"

export default function Layout({ children, analytics }: { children: ReactNode; analytics: ReactNode }) {
  return (
    <section>
      {children}
      {analytics}
    </section>
  )
}
