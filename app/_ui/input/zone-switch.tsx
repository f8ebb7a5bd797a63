"use client"

import { useRouter } from "next/navigation"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import { chooseZone, localZone, UTC } from "#app/_ui/format/zone.ts"
import styles from "./zone-switch.module.css"

/** Says in which zone times are, and changes it: UTC, or that of the browser. */
export function ZoneSwitch() {
  const zone = useZone()
  const router = useRouter()
  const change = () => {
    chooseZone(zone === UTC ? localZone() : UTC)
    router.refresh()
  }
  return (
    <button type="button" className={styles.zone} onClick={change} title="Change between UTC and local time">
      Times in {zone}
    </button>
  )
}
