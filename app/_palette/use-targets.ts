"use client"

import { useEffect, useState } from "react"
import type { Target } from "#app/_palette/id-targets.ts"
import { routeAddress } from "#app/routes/route-address.ts"
import { serviceAddress } from "#app/services/service-address.ts"

/** Targets of each kind that are listed at most. */
const LIMIT = 100

interface Targets {
  readonly routes: readonly Target[]
  readonly errors: readonly Target[]
  readonly services: readonly Target[]
  readonly filters: readonly Target[]
}

const NONE: Targets = { routes: [], errors: [], services: [], filters: [] }

/** Fetched when the palette opens. Empty where a request fails. */
export function useTargets(): Targets {
  const [targets, setTargets] = useState(NONE)
  useEffect(() => {
    const stop = new AbortController()
    void readTargets(stop.signal).then((read) => !stop.signal.aborted && setTargets(read))
    return () => stop.abort()
  }, [])
  return targets
}

async function readTargets(signal: AbortSignal): Promise<Targets> {
  const [{ routes }, { issues }, { values }, { filters }] = await Promise.all([
    read("/api/routes?since=7d", signal),
    read(`/api/errors?limit=${LIMIT}`, signal),
    read("/api/attributes?name=service", signal),
    read("/api/filters", signal),
  ])
  return {
    routes: listOf(routes, ({ route }) => ({ href: routeAddress(String(route)), label: String(route) })),
    errors: listOf(issues, ({ issueId, title }) => ({ href: `/errors/${String(issueId)}`, label: String(title) })),
    services: listOf(values, ({ value }) => ({ href: serviceAddress(String(value)), label: String(value) })),
    filters: listOf(filters, ({ address, name }) => ({ href: String(address), label: String(name) })),
  }
}

async function read(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  try {
    const response = await fetch(address, { signal })
    return response.ok ? ((await response.json()) as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function listOf(value: unknown, toTarget: (item: Record<string, unknown>) => Target): Target[] {
  return Array.isArray(value) ? value.slice(0, LIMIT).map((item) => toTarget(item as Record<string, unknown>)) : []
}
