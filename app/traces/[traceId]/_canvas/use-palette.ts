"use client"

import { useEffect, useState } from "react"
import { serviceColours } from "#app/_ui/format/service-colours.ts"

/** Colours of `tokens.css` for a canvas, in the current colour scheme. */
export interface Palette {
  /** By index of the service. */
  readonly services: readonly string[]
  readonly error: string
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly accent: string
  readonly page: string
}

const DARK = "(prefers-color-scheme: dark)"
const NAMES = { error: "error", text: "text", muted: "text-muted", line: "line", accent: "accent", page: "raised" }

/** `undefined` on the server and before mount. Updates with the colour scheme. */
export function usePalette(services: readonly string[]): Palette | undefined {
  const [palette, setPalette] = useState<Palette>()
  useEffect(() => {
    const media = matchMedia(DARK)
    const update = () => setPalette(readPalette(services))
    update()
    media.addEventListener("change", update)
    // The theme may differ from the system's.
    const chosen = new MutationObserver(update)
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
    return () => {
      media.removeEventListener("change", update)
      chosen.disconnect()
    }
  }, [services])
  return palette
}

function readPalette(services: readonly string[]): Palette {
  const colours = serviceColours(services)
  const probe = document.createElement("i")
  document.body.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const entries = Object.entries(NAMES).map(([key, name]) => [key, read(name)])
  const palette = {
    services: services.map((service) => read(`service-${colours.get(service) ?? 0}`)),
    ...Object.fromEntries(entries),
  }
  probe.remove()
  return palette as Palette
}
