import { cookies } from "next/headers"
import { getInspector } from "#otel/inspector/instance.ts"
import { OWN_CHOICE } from "#app/feed/own-choice.ts"

/** Whether a screen leaves out what Pagespan itself does. */
export interface OwnActivity {
  /** `service.name`s of Pagespan's own spans. */
  readonly services: readonly string[]
  readonly isHidden: boolean
}

/** Whose spans do not count. */
export function hiddenServices({ services, isHidden }: OwnActivity): readonly string[] {
  return isHidden ? services : []
}

/**
 * What the URL says (`own=show`, `own=hide`), else what was chosen last; without a choice, hidden as soon as another
 * service has sent something.
 */
export async function ownActivity(parameters: URLSearchParams): Promise<OwnActivity> {
  const { ownServices: services, remembered, traces } = getInspector()
  const choice = parameters.get(OWN_CHOICE.parameter) ?? (await cookies()).get(OWN_CHOICE.cookie)?.value
  if (choice === "show" || choice === "hide") return { services, isHidden: choice === "hide" }
  const known = await remembered.get("services", () => traces.knownValues("service", ""))
  return { services, isHidden: known.some(({ value }) => !services.includes(value)) }
}
