"use client"

import { createContext, type ReactNode, use } from "react"
import { UTC, type Zone } from "./zone.ts"

const ZoneContext = createContext<Zone>(UTC)

/** The zone that the visitor chose, for the server's HTML and the browser alike. */
export function ZoneProvider({ zone, children }: { zone: Zone; children: ReactNode }) {
  return <ZoneContext value={zone}>{children}</ZoneContext>
}

export function useZone(): Zone {
  return use(ZoneContext)
}
