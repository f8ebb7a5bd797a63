import type { ReactNode } from "react"

export default function Layout({ children, modal }: { children: ReactNode; modal: ReactNode }) {
  return (
    <section>
      {children}
      {modal}
    </section>
  )
}
