import Link from "next/link"
import { ImportButton } from "#app/_import/import-drop.tsx"
import { Message } from "#app/_ui/layout/message.tsx"

/** For a trace that is not stored, and for an invalid trace id. */
export default function TraceNotFound() {
  return (
    <Message title="Trace not found">
      <p>
        No span of this trace is stored. The trace may not have arrived yet, the ID may be wrong, or the trace may have
        expired.
      </p>
      <p>
        <Link href="/traces">Latest traces</Link> · <ImportButton /> a file with this trace
      </p>
    </Message>
  )
}
