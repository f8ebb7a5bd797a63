import Link from "next/link"
import type { ParsedRouteQuery } from "#otel/query/route-query.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"
import { OwnSwitch } from "#app/feed/own-switch.tsx"
import { routeAddress } from "#app/routes/route-address.ts"
import { Message } from "#app/ui/message.tsx"
import { Notices } from "#app/ui/notices.tsx"
import { RangeLinks } from "#app/ui/range-links.tsx"
import { ScreenBar } from "#app/ui/screen-bar.tsx"
import { shownName } from "#app/ui/shown-text.ts"

interface NothingMeasuredProps {
  readonly route: string
  readonly own: OwnActivity
  readonly query: ParsedRouteQuery
  readonly parameters: URLSearchParams
}

/** A route that nobody has met, or not in this window: which of the two, no one can tell. */
export function NothingMeasured({ route, own, query, parameters }: NothingMeasuredProps) {
  const { since, untilText } = query.range
  return (
    <>
      <ScreenBar title={<bdi>{shownName(route)}</bdi>}>
        <RangeLinks
          path={routeAddress(route)}
          parameters={parameters}
          since={since}
          until={untilText}
          byDefault="24h"
        />
        <OwnSwitch isHidden={own.isHidden} />
      </ScreenBar>
      <Notices notices={query.notices} />
      <Message title="Nothing was measured of this route in this window" level={2}>
        <p>
          A longer window may have some of it. <Link href="/routes">All routes</Link>
        </p>
      </Message>
    </>
  )
}
