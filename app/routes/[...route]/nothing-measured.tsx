import Link from "next/link"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { routeAddress } from "#app/routes/route-address.ts"
import { type ParsedRouteQuery, ROUTE_WINDOW } from "#otel/inspector/queries/routes/route-query.ts"

interface NothingMeasuredProps {
  readonly route: string
  readonly own: InternalTelemetry
  readonly query: ParsedRouteQuery
  readonly parameters: URLSearchParams
}

/** An unknown route, or one without records in the time range; the store does not distinguish them. */
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
          byDefault={ROUTE_WINDOW}
        />
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </ScreenBar>
      <Notices notices={query.notices} />
      <Message title="No data for this route in this time range" level={2}>
        <p>
          Try a longer time range. <Link href="/routes">All routes</Link>
        </p>
      </Message>
    </>
  )
}
