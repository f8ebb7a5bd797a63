import type { Deferred, Outcome } from "#app/_live/defer.ts"
import { QueryError } from "#app/_live/query-error.tsx"
import { type TraceList, traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { LiveList, type LiveListProps } from "./live-list.tsx"

interface ReadListProps extends Omit<LiveListProps, "traces" | "next"> {
  readonly reading: Deferred<TraceList>
  /** Address to retry. */
  readonly address: string
}

/** The list when its query resolves, or why there is none. */
export function ReadList({ reading, address, ...list }: ReadListProps) {
  if (reading.is === "soon") return <ListOf list={reading.value} {...list} />
  return <LateList outcome={reading.value} address={address} {...list} />
}

type LateListProps = Omit<ReadListProps, "reading"> & { readonly outcome: Promise<Outcome<TraceList>> }

async function LateList({ outcome, address, ...list }: LateListProps) {
  const answer = await outcome
  if (answer.is === "read") return <ListOf list={answer.value} {...list} />
  return <QueryError answer={answer} what="This list" address={address} />
}

function ListOf({ list, ...rest }: Omit<ReadListProps, "reading" | "address"> & { readonly list: TraceList }) {
  return <LiveList traces={list.traces.map(traceSummaryToJson)} next={list.next} {...rest} />
}
