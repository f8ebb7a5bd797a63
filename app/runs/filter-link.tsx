import Link from "next/link"
import { shownName } from "#app/_ui/format/text.ts"

/** Links a name to the trace list with a filter. */
export function FilterLink({ filter, name }: { filter: string; name: string }) {
  return (
    <Link href={`/traces?${new URLSearchParams({ q: filter })}`} prefetch={false}>
      <bdi>{shownName(name)}</bdi>
    </Link>
  )
}
