"use client"

import { formatMoment, isoTime } from "#app/_ui/format/time.ts"
import { useZone } from "#app/_ui/format/use-zone.tsx"

/** The time of day in the visitor's time zone, to the millisecond; the moment in UTC as its title. Nanoseconds since the epoch. */
export function CrumbTime({ unixNano }: { unixNano: string }) {
  const time = BigInt(unixNano)
  const iso = isoTime(time)
  return (
    <time dateTime={iso} title={iso}>
      {formatMoment(time, useZone()).slice(11, 23)}
    </time>
  )
}
