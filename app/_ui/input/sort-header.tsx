import Link from "next/link"

interface SortHeaderProps {
  readonly label: string
  readonly href: string
  readonly sorted: "ascending" | "descending" | undefined
  readonly className?: string | undefined
  /** The name in full, where the label is short. */
  readonly title?: string | undefined
}

/** A column that the table can be ordered by, at an address of its own. */
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
