import { cookies } from "next/headers"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"
import { inspectorInfo } from "#otel/inspector/queries/screen-queries.ts"
import { INTERNAL_TELEMETRY_PARAMETER } from "./internal-telemetry-parameter.ts"

/** Whether a screen hides Pagespan's own telemetry. */
export interface InternalTelemetry {
  /** `service.name`s of Pagespan's own spans. */
  readonly services: readonly string[]
  readonly isHidden: boolean
}

/** Services whose spans do not count. */
export function hiddenServices({ services, isHidden }: InternalTelemetry): readonly string[] {
  return isHidden ? services : []
}

/** For a screen without the switch. It shows internal telemetry if one of the services on it is Pagespan's own. */
export function internalTelemetryAmong(shown: readonly string[]): InternalTelemetry {
  const { internalServices: services } = inspectorInfo()
  return { services, isHidden: !shown.some((service) => services.includes(service)) }
}

/**
 * The choice in the URL (`own=show`, `own=hide`), else the last choice. Without a choice, internal telemetry is hidden once another
 * service has sent a span.
 */
export async function internalTelemetry(
  queries: QueryService,
  parameters: URLSearchParams,
): Promise<InternalTelemetry> {
  const { internalServices: services } = inspectorInfo()
  const choice =
    parameters.get(INTERNAL_TELEMETRY_PARAMETER.parameter) ??
    (await cookies()).get(INTERNAL_TELEMETRY_PARAMETER.cookie)?.value
  if (choice === "show" || choice === "hide") return { services, isHidden: choice === "hide" }
  return { services, isHidden: await queries.hasOtherServices(services) }
}
