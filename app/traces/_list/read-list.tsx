import type { Deferred, Told } from "#app/_live/defer.ts"
import { QueryError } from "#app/_live/query-error.tsx"
import { LiveList, type LiveListProps } from "./live-list.tsx"
import { type TraceList, traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"

interface ReadListProps extends Omit<LiveListProps, "traces" | "next"> {
  readonly reading: Deferred<TraceList>
  /** Of this list, to ask for it again. */
  readonly address: string
}

/** The list as soon as it is read; or why it is not, where that is nobody's fault. */
export function ReadList({ reading, address, ...list }: ReadListProps) {
  if (reading.is === "soon") return <ListOf list={reading.value} {...list} />
  return <LateList told={reading.value} address={address} {...list} />
}

type LateListProps = Omit<ReadListProps, "reading"> & { readonly told: Promise<Told<TraceList>> }

async function LateList({ told, address, ...list }: LateListProps) {
  const answer = await told
  if (answer.is === "read") return <ListOf list={answer.value} {...list} />
  return <QueryError answer={answer} what="This list" address={address} />
}

function ListOf({ list, ...rest }: Omit<ReadListProps, "reading" | "address"> & { readonly list: TraceList }) {
  return <LiveList traces={list.traces.map(traceSummaryToJson)} next={list.next} {...rest} />
}
