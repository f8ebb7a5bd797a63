import type { TraceList } from "#otel/model/trace-summary.ts"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import { NotRead } from "#app/feed/not-read.tsx"
import type { SoonOrLater, Told } from "#app/feed/soon-or-later.ts"
import { LiveList, type LiveListProps } from "#app/traces/live-list.tsx"

interface ReadListProps extends Omit<LiveListProps, "traces" | "next"> {
  readonly reading: SoonOrLater<TraceList>
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
  return <NotRead answer={answer} what="This list" address={address} />
}

function ListOf({ list, ...rest }: Omit<ReadListProps, "reading" | "address"> & { readonly list: TraceList }) {
  return <LiveList traces={list.traces.map(traceSummaryToJson)} next={list.next} {...rest} />
}
