import Link from "next/link"
import { shownName } from "#app/_ui/format/text.ts"

/** A name that leads to the traces that a filter finds. */
export function FilterLink({ filter, name }: { filter: string; name: string }) {
  return (
    <Link href={`/traces?${new URLSearchParams({ q: filter })}`} prefetch={false}>
      <bdi>{shownName(name)}</bdi>
    </Link>
  )
}
