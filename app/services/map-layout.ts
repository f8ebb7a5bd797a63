import type { ServiceCall, ServiceSummary } from "#otel/inspector/queries/services/service-reader.ts"

/** Positions of services and calls, from left to right: each service is right of those that call it, where calls form no cycle. */
export interface MapLayout {
  readonly width: number
  readonly height: number
  readonly nodes: readonly MapNode[]
  readonly edges: readonly MapEdge[]
}

export interface MapNode {
  readonly service: ServiceSummary
  readonly x: number
  readonly y: number
}

export interface MapEdge {
  readonly call: ServiceCall
  /** Path data, from the caller to the callee. */
  readonly path: string
}

/** Size of a service in pixels. */
export const NODE = { width: 196, height: 54 } as const
/** Height of the lane in which a call passes a column between its ends. */
const LANE = 8
const GAP = { x: 84, y: 18 } as const
const MARGIN = 28
/** Calls that are drawn: the most frequent. More lines than these nobody can follow. */
const CALLS = 200
/** Passes that order the services of a column by their neighbours. */
const PASSES = 4

/** @param services busiest first. @param calls most frequent first. Calls of other services, and of a service to itself, are left out. */
export function layoutMap(services: readonly ServiceSummary[], calls: readonly ServiceCall[]): MapLayout {
  const known = new Set(services.map(({ service }) => service))
  const drawn = calls
    .filter(({ caller, callee }) => caller !== callee && known.has(caller) && known.has(callee))
    .slice(0, CALLS)
  const depths = depthsOf([...known], drawn)
  const ways = drawn.map((call, index) => wayOf(call, index, depths))
  const columns: string[][] = []
  for (const [place, depth] of [...depths, ...ways.flatMap(({ lanes }) => lanes)]) (columns[depth] ??= []).push(place)
  const steps = ways.flatMap(({ places }) =>
    places.slice(1).map((callee, at) => ({ caller: places[at] ?? "", callee })),
  )
  const ordered = orderColumns(columns, steps)
  const height = Math.max(...ordered.map(heightOf), 0) + 2 * MARGIN
  const rectangles = new Map(ordered.flatMap((column, index) => placeColumn(column, index, height)))
  const at = (place: string) => rectangles.get(place) ?? { x: 0, y: 0, height: 0 }
  return {
    width: columns.length * (NODE.width + GAP.x) - GAP.x + 2 * MARGIN,
    height,
    nodes: services.map((service) => ({ service, x: at(service.service).x, y: at(service.service).y })),
    edges: ways.map(({ call, places }) => ({ call, path: pathOf(places.map(at)) })),
  }
}

type Edges = readonly Pick<ServiceCall, "caller" | "callee">[]

/** A call with the lanes that it passes, in the columns between its ends. No service is named like a lane. */
function wayOf(call: ServiceCall, index: number, depths: ReadonlyMap<string, number>) {
  const [from, to] = [depths.get(call.caller) ?? 0, depths.get(call.callee) ?? 0]
  const lanes = Array.from({ length: Math.max(0, to - from - 1) }, (_, step): [string, number] => [
    `\0${index} ${step}`,
    from + step + 1,
  ])
  return { call, lanes, places: [call.caller, ...lanes.map(([lane]) => lane), call.callee] }
}

/** Each service's column: the longest way to it from a service that nobody calls. Calls that close a cycle do not count. */
function depthsOf(names: readonly string[], edges: Edges): Map<string, number> {
  const forward = withoutCycles(names, edges)
  const depths = new Map<string, number>(names.map((name) => [name, 0]))
  // Without cycles the longest way has fewer steps than there are services.
  for (let pass = 0; pass < names.length; pass++)
    for (const { caller, callee } of forward)
      depths.set(callee, Math.max(depths.get(callee) ?? 0, (depths.get(caller) ?? 0) + 1))
  return depths
}

/** The calls without those that lead back to a service on the way to them, from services that nobody calls, then the busiest. */
function withoutCycles(names: readonly string[], edges: Edges): Edges {
  const called = new Set(edges.map(({ callee }) => callee))
  const state = new Map<string, "open" | "done">()
  const kept: Edges[number][] = []
  const visit = (name: string) => {
    state.set(name, "open")
    for (const edge of edges) {
      if (edge.caller !== name || state.get(edge.callee) === "open") continue
      kept.push(edge)
      if (!state.has(edge.callee)) visit(edge.callee)
    }
    state.set(name, "done")
  }
  for (const name of [...names.filter((each) => !called.has(each)), ...names]) if (!state.has(name)) visit(name)
  return kept
}

/** Orders each column by the mean row of the neighbours in other columns, so that few calls cross. */
function orderColumns(columns: readonly (readonly string[])[], edges: Edges): readonly (readonly string[])[] {
  const callers = new Map<string, string[]>()
  const callees = new Map<string, string[]>()
  for (const { caller, callee } of edges) {
    callers.set(callee, [...(callers.get(callee) ?? []), caller])
    callees.set(caller, [...(callees.get(caller) ?? []), callee])
  }
  let ordered = columns
  for (let pass = 0; pass < PASSES; pass++) {
    const rows = new Map(ordered.flatMap((column) => column.map((place, row) => [place, row - column.length / 2])))
    const neighbours = pass % 2 === 0 ? callers : callees
    const wanted = new Map(
      [...rows].map(([place, row]) => {
        const near = neighbours.get(place) ?? []
        const sum = near.reduce((total, each) => total + (rows.get(each) ?? 0), 0)
        return [place, near.length === 0 ? row : sum / near.length]
      }),
    )
    ordered = ordered.map((column) => column.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0)))
  }
  return ordered
}

interface Rectangle {
  readonly x: number
  readonly y: number
  readonly height: number
}

function heightAt(place: string): number {
  return place.startsWith("\0") ? LANE : NODE.height
}

function heightOf(column: readonly string[]): number {
  return column.reduce((sum, place) => sum + heightAt(place) + GAP.y, -GAP.y)
}

/** The places of a column from top to bottom, around the middle of the map. */
function placeColumn(column: readonly string[], index: number, mapHeight: number): [string, Rectangle][] {
  let y = (mapHeight - heightOf(column)) / 2
  return column.map((place) => {
    const rectangle = { x: MARGIN + index * (NODE.width + GAP.x), y, height: heightAt(place) }
    y += rectangle.height + GAP.y
    return [place, rectangle]
  })
}

/** A curve from the right side of the caller through its lanes to the left side of the callee; a call back leaves and arrives below. */
function pathOf(places: readonly Rectangle[]): string {
  const [from, to] = [places[0], places.at(-1)]
  if (from === undefined || to === undefined) return ""
  if (to.x <= from.x) {
    const [x1, y1] = [from.x + NODE.width / 3, from.y + NODE.height]
    const [x2, y2] = [to.x + (NODE.width * 2) / 3, to.y + NODE.height]
    return `M${x1} ${y1}C${x1} ${y1 + MARGIN} ${x2} ${y2 + MARGIN} ${x2} ${y2}`
  }
  const curves = places.slice(1).map((next, index) => {
    const last = places[index] ?? from
    const [x1, y1, x2, y2] = [last.x + NODE.width, last.y + last.height / 2, next.x, next.y + next.height / 2]
    const bend = GAP.x / 2
    return `${index === 0 ? "M" : "L"}${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  })
  return curves.join("")
}
