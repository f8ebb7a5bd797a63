import Link from "next/link"
import { RouteObserver } from "pagespan/react"
import type { ReactNode } from "react"
import { TestHandles } from "../test-handles"

const PATHS = ["pathnames", "pfadnamen", "news/1", "unknown"]

interface LayoutProps {
  readonly children: ReactNode
  readonly params: Promise<{ readonly locale: string }>
}

/** A root layout below a parameter. French pages have no observer. */
export default async function Layout({ children, params }: LayoutProps) {
  const { locale } = await params
  return (
    <html lang={locale}>
      <body>
        <Links locale={locale} />
        {children}
        {locale !== "fr" && <RouteObserver />}
        <TestHandles />
      </body>
    </html>
  )
}

function Links({ locale }: { locale: string }): ReactNode {
  return PATHS.map((path) => (
    <Link key={path} href={`/${locale}/${path}`} prefetch={false}>
      {path}
    </Link>
  ))
}
