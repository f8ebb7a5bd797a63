"use client"

import { formatAge, isoTime } from "#app/ui/format-time.ts"
import { useClock } from "#app/ui/use-clock.ts"

/** How long ago something was, kept current. `renderedAt`: when the server rendered it, in milliseconds since the epoch. */
export function Age({ unixNano, renderedAt }: { unixNano: string; renderedAt: number }) {
  const now = useClock(renderedAt)
  const moment = BigInt(unixNano)
  const iso = isoTime(moment)
  return (
    <time dateTime={iso} title={iso}>
      {formatAge(now - Number(moment / 1_000_000n))}
    </time>
  )
}
