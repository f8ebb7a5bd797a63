"use client"

import { useSyncExternalStore } from "react"
import {
  chooseNotifications,
  type NotificationChoice,
  notificationChoice,
  watchChoice,
} from "#app/_watch/notifications.ts"
import styles from "#app/_live/internal-telemetry-switch.module.css"

/** Turns the notifications of this browser on and off. Nothing asks for the permission before a click. */
export function NotificationSwitch() {
  const choice = useSyncExternalStore<NotificationChoice>(watchChoice, notificationChoice, () => "unsupported")
  if (choice === "unsupported") return null
  if (choice === "denied") return <p>This browser blocks notifications of this site. Its settings can allow them.</p>
  const isOn = choice === "on"
  return (
    <p>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        className={styles.switch}
        onClick={() => void chooseNotifications(!isOn)}
      >
        <span aria-hidden="true" /> Notify in this browser when a watch trips
      </button>
    </p>
  )
}
