"use client"

import { usePathname, useRouter, useSearchParams } from "next/navigation"
import { INTERNAL_TELEMETRY_PARAMETER } from "#app/_live/internal-telemetry-parameter.ts"
import styles from "./internal-telemetry-switch.module.css"

/** Shows or hides Pagespan's own telemetry. The choice is stored in the URL and in a cookie. */
export function InternalTelemetrySwitch({ isHidden }: { isHidden: boolean }) {
  const router = useRouter()
  const pathname = usePathname()
  const parameters = useSearchParams()
  const change = () => {
    const choice = isHidden ? "show" : "hide"
    // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser
    document.cookie = `${INTERNAL_TELEMETRY_PARAMETER.cookie}=${choice}; path=/; max-age=31536000; samesite=strict`
    const next = new URLSearchParams(parameters)
    next.set(INTERNAL_TELEMETRY_PARAMETER.parameter, choice)
    next.delete("after")
    router.push(`${pathname}?${next}`, { scroll: false })
  }
  return (
    <button type="button" role="switch" aria-checked={!isHidden} className={styles.switch} onClick={change}>
      <span aria-hidden="true" /> Show Pagespan’s traces
    </button>
  )
}
