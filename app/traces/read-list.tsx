import Link from "next/link"
import type { TraceList } from "#otel/model/trace-summary.ts"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import type { SoonOrLater, Told } from "#app/feed/soon-or-later.ts"
import { LiveList, type LiveListProps } from "#app/traces/live-list.tsx"
import { Message } from "#app/ui/message.tsx"
import { shownText } from "#app/ui/shown-text.ts"

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
  return (
    <Message title={answer.is === "stopped" ? "Stopped" : "This list could not be read"} level={2}>
      <p>
        {answer.is === "stopped"
          ? "The store was told to stop reading. A shorter window of time or a narrower filter is quicker."
          : shownText(answer.why)}
      </p>
      <p>
        <Link href={address} prefetch={false}>
          Read it again
        </Link>
      </p>
    </Message>
  )
}

function ListOf({ list, ...rest }: Omit<ReadListProps, "reading" | "address"> & { readonly list: TraceList }) {
  return <LiveList traces={list.traces.map(traceSummaryToJson)} next={list.next} {...rest} />
}
