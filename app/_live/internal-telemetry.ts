import { cookies } from "next/headers"
import { getInspector } from "#otel/inspector/instance.ts"
import { INTERNAL_TELEMETRY_PARAMETER } from "./internal-telemetry-parameter.ts"

/** Whether a screen leaves out what Pagespan itself does. */
export interface InternalTelemetry {
  /** `service.name`s of Pagespan's own spans. */
  readonly services: readonly string[]
  readonly isHidden: boolean
}

/** Whose spans do not count. */
export function hiddenServices({ services, isHidden }: InternalTelemetry): readonly string[] {
  return isHidden ? services : []
}

/**
 * What the URL says (`own=show`, `own=hide`), else what was chosen last; without a choice, hidden as soon as another
 * service has sent something.
 */
export async function internalTelemetry(parameters: URLSearchParams): Promise<InternalTelemetry> {
  const { internalServices: services, queryCache, traces } = getInspector()
  const choice =
    parameters.get(INTERNAL_TELEMETRY_PARAMETER.parameter) ??
    (await cookies()).get(INTERNAL_TELEMETRY_PARAMETER.cookie)?.value
  if (choice === "show" || choice === "hide") return { services, isHidden: choice === "hide" }
  const known = await queryCache.get("services", () => traces.knownValues("service", ""))
  return { services, isHidden: known.some(({ value }) => !services.includes(value)) }
}
