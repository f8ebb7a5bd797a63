"use client"

import { formatMoment, isoTime } from "./time.ts"
import { useZone } from "./use-zone.tsx"

/** A moment in the visitor's time zone, with the zone; in UTC as its title. Nanoseconds since the epoch. */
export function Moment({ unixNano }: { unixNano: bigint | string }) {
  const moment = BigInt(unixNano)
  const iso = isoTime(moment)
  return (
    <time dateTime={iso} title={iso}>
      {formatMoment(moment, useZone())}
    </time>
  )
}
