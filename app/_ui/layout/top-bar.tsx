"use client"

import Link from "next/link"
import { usePathname } from "next/navigation"
import { type ReactNode, useEffect, useRef } from "react"
import styles from "./top-bar.module.css"

export interface Destination {
  readonly href: `/${string}`
  readonly label: string
}

/** Brand, navigation, and `children` at the end. */
export function TopBar({ destinations, children }: { destinations: readonly Destination[]; children: ReactNode }) {
  const pathname = usePathname()
  const nav = useRef<HTMLElement>(null)
  // A narrow bar scrolls sideways.
  useEffect(() => {
    if (nav.current !== null) showLink(nav.current, pathname)
  }, [pathname])
  return (
    <header className={styles.bar}>
      <Link href="/" className={styles.brand} prefetch={false}>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
          <rect x="1" y="3" width="16" height="3" rx="1.5" />
          <rect x="4" y="7.5" width="9" height="3" rx="1.5" opacity="0.7" />
          <rect x="8" y="12" width="6" height="3" rx="1.5" opacity="0.45" />
        </svg>
        Pagespan
      </Link>
      <nav ref={nav} aria-label="Screens" className={styles.nav}>
        {destinations.map(({ href, label }) => (
          <Link key={href} href={href} prefetch={false} aria-current={current(pathname, href)}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={styles.end}>{children}</div>
    </header>
  )
}

/** `scrollIntoView` would scroll the page too. */
function showLink(nav: HTMLElement, pathname: string): void {
  const links = [...nav.querySelectorAll("a")]
  const shown = links.find((each) => current(pathname, each.getAttribute("href") ?? "") !== undefined)
  const link = shown?.getBoundingClientRect()
  const { left, width } = nav.getBoundingClientRect()
  if (link !== undefined) nav.scrollLeft += link.left + link.width / 2 - (left + width / 2)
}

function current(pathname: string, href: string): "page" | "true" | undefined {
  if (pathname === href) return "page"
  return href !== "/" && pathname.startsWith(`${href}/`) ? "true" : undefined
}
