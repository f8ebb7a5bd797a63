import type { ReactNode } from "react"

export default function Team({ children, side }: { children: ReactNode; side: ReactNode }) {
  return (
    <main>
      {children}
      <aside>{side}</aside>
    </main>
  )
}
