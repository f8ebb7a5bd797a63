import Link from "next/link"

interface SortHeaderProps {
  readonly label: string
  readonly href: string
  readonly sorted: "ascending" | "descending" | undefined
  readonly className?: string | undefined
  /** Full name for a short label. */
  readonly title?: string | undefined
}

/** A header cell that links to the sorted table. */
export function SortHeader({ label, href, sorted, className, title }: SortHeaderProps) {
  return (
    <th scope="col" className={className} aria-sort={sorted}>
      <Link href={href} prefetch={false} title={title}>
        {label}
        {sorted !== undefined && <span aria-hidden="true">{sorted === "ascending" ? " ↑" : " ↓"}</span>}
      </Link>
    </th>
  )
}
