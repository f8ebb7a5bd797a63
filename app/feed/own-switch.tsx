"use client"

import { usePathname, useRouter, useSearchParams } from "next/navigation"
import { OWN_CHOICE } from "#app/feed/own-choice.ts"
import styles from "./own-switch.module.css"

/** Shows or hides what Pagespan itself does; the screens remember it. */
export function OwnSwitch({ isHidden }: { isHidden: boolean }) {
  const router = useRouter()
  const pathname = usePathname()
  const parameters = useSearchParams()
  const change = () => {
    const choice = isHidden ? "show" : "hide"
    // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser
    document.cookie = `${OWN_CHOICE.cookie}=${choice}; path=/; max-age=31536000; samesite=strict`
    const next = new URLSearchParams(parameters)
    next.set(OWN_CHOICE.parameter, choice)
    next.delete("after")
    router.push(`${pathname}?${next}`, { scroll: false })
  }
  return (
    <button type="button" role="switch" aria-checked={!isHidden} className={styles.switch} onClick={change}>
      <span aria-hidden="true" /> Pagespan’s own
    </button>
  )
}
