import { RouteObserver } from "pagespan/react"
import type { ReactNode } from "react"

/** The observer stands deep below the root layout. */
export default function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <RouteObserver />
    </>
  )
}
