"use client"

import { useEffect, useState } from "react"
import type { Target } from "#app/_palette/id-targets.ts"
import { routeAddress } from "#app/routes/route-address.ts"

/** Routes and errors that are listed at most. */
const LIMIT = 100

interface Targets {
  readonly routes: readonly Target[]
  readonly errors: readonly Target[]
}

/** Routes and errors, fetched when the palette opens. Empty when a request fails. */
export function useTargets(): Targets {
  const [targets, setTargets] = useState<Targets>({ routes: [], errors: [] })
  useEffect(() => {
    const stop = new AbortController()
    void readTargets(stop.signal).then((read) => !stop.signal.aborted && setTargets(read))
    return () => stop.abort()
  }, [])
  return targets
}

async function readTargets(signal: AbortSignal): Promise<Targets> {
  const [{ routes }, { issues }] = await Promise.all([
    read("/api/routes?since=7d", signal),
    read(`/api/errors?limit=${LIMIT}`, signal),
  ])
  return {
    routes: listOf(routes, ({ route }) => ({ href: routeAddress(String(route)), label: String(route) })),
    errors: listOf(issues, ({ issueId, title }) => ({ href: `/errors/${String(issueId)}`, label: String(title) })),
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
