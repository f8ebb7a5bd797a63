"use client"

import Link from "next/link"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { formatRate } from "#app/_ui/format/time.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { formatShare } from "#app/_ui/format/share.tsx"
import { formatMs } from "#app/routes/figures.ts"
import type { ServiceCall, ServiceList } from "#otel/inspector/queries/services/service-reader.ts"
import { layoutMap, type MapEdge, type MapNode, NODE } from "./map-layout.ts"
import { serviceAddress } from "./service-address.ts"
import styles from "./services.module.css"

/** Services that the map draws: the busiest. */
const SERVICES = 50
/** Widths of the busiest call and of the rarest, in pixels. */
const [THICK, THIN] = [5, 1.25]

interface ServiceMapProps {
  readonly list: ServiceList
  /** The time that was counted, in milliseconds. */
  readonly lengthMs: number
  readonly colours: ReadonlyMap<string, number>
  /** Parameters of the links to services. */
  readonly search: string
}

/** Which service calls which. What colour shows, text and line style show as well. */
export function ServiceMap({ list, lengthMs, colours, search }: ServiceMapProps) {
  const { width, height, nodes, edges } = layoutMap(list.services.slice(0, SERVICES), list.calls)
  const most = Math.max(1, ...edges.map(({ call }) => call.count))
  return (
    <section className={styles.map} aria-labelledby="map">
      <h2 id="map">
        Map{" "}
        {list.services.length > SERVICES && (
          <small>{`the busiest ${SERVICES} of ${countOf(list.total, "service")}`}</small>
        )}
      </h2>
      {edges.length === 0 ? (
        <p>No span has a parent of another service in this time range.</p>
      ) : (
        <>
          <ScrollBox label="Service map" sideways>
            <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
              <Arrow id="arrow" />
              <Arrow id="arrow-failed" />
              {edges.map((edge) => (
                <Edge key={`${edge.call.caller} ${edge.call.callee}`} edge={edge} most={most} />
              ))}
              {nodes.map((node) => (
                <Node
                  key={node.service.service}
                  node={node}
                  calls={edges.map(({ call }) => call)}
                  rate={formatRate(node.service.count, lengthMs, list.services[0]?.count)}
                  colour={colours.get(node.service.service)}
                  search={search}
                />
              ))}
            </svg>
          </ScrollBox>
          <p>An arrow points from the caller to the service that it calls. A dashed one has failed calls.</p>
        </>
      )}
    </section>
  )
}

function Arrow({ id }: { id: "arrow" | "arrow-failed" }) {
  return (
    <marker
      id={id}
      className={styles.arrow}
      viewBox="0 0 8 8"
      refX="8"
      refY="4"
      markerWidth="10"
      markerHeight="10"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 0 8 4 0 8z" />
    </marker>
  )
}

function Edge({ edge: { call, path }, most }: { edge: MapEdge; most: number }) {
  const share = most === 1 ? 0 : Math.log(call.count) / Math.log(most)
  return (
    <path
      d={path}
      className={styles.edge}
      strokeWidth={(THIN + share * (THICK - THIN)).toFixed(2)}
      data-failed={call.failed > 0}
      markerEnd={call.failed > 0 ? "url(#arrow-failed)" : "url(#arrow)"}
    >
      <title>{callText(call)}</title>
    </path>
  )
}

function callText({ caller, callee, count, failed, p95 }: ServiceCall): string {
  const figures = `${formatCount(count)}×, ${formatShare(failed, count)} failed, p95 ${formatMs(p95)}`
  return `${shownName(caller)} → ${shownName(callee)}: ${figures}`
}

interface NodeProps extends Pick<ServiceMapProps, "search"> {
  readonly node: MapNode
  readonly rate: string
  readonly calls: readonly ServiceCall[]
  readonly colour: number | undefined
}

function Node({ node: { service: figures, x, y }, calls, rate, colour, search }: NodeProps) {
  const { service, count, failed } = figures
  const callees = calls.filter(({ caller }) => caller === service).map(({ callee }) => shownName(callee))
  return (
    <>
      <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="6" className={styles.box} />
      <foreignObject x={x} y={y} width={NODE.width} height={NODE.height}>
        <Link href={`${serviceAddress(service)}${search}`} prefetch={false} className={styles.node}>
          <ServiceName name={service} colour={colour} />
          <small>
            {rate}, {failed > 0 ? <b>{formatShare(failed, count)} failed</b> : "none failed"}
          </small>
          {callees.length > 0 && <span className="visually-hidden">, calls {callees.join(", ")}</span>}
        </Link>
      </foreignObject>
    </>
  )
}
