import type { Deferred, Outcome } from "#app/_live/defer.ts"
import { QueryError } from "#app/_live/query-error.tsx"
import { type TraceList, traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { LiveList, type LiveListProps } from "./live-list.tsx"

interface ListResultProps extends Omit<LiveListProps, "traces" | "next"> {
  readonly result: Deferred<TraceList>
  /** Address to retry. */
  readonly address: string
}

/** The list when its query resolves, or why there is none. */
export function ListResult({ result, address, ...list }: ListResultProps) {
  if (result.is === "ready") return <ListOf list={result.value} {...list} />
  return <PendingList outcome={result.value} address={address} {...list} />
}

type PendingListProps = Omit<ListResultProps, "result"> & { readonly outcome: Promise<Outcome<TraceList>> }

async function PendingList({ outcome, address, ...list }: PendingListProps) {
  const settled = await outcome
  if (settled.is === "ready") return <ListOf list={settled.value} {...list} />
  return <QueryError outcome={settled} what="This list" address={address} />
}

function ListOf({ list, ...rest }: Omit<ListResultProps, "result" | "address"> & { readonly list: TraceList }) {
  return <LiveList traces={list.traces.map(traceSummaryToJson)} next={list.next} {...rest} />
}
