import Link from "next/link"
import { ImportButton } from "#app/_import/import-drop.tsx"
import { Message } from "#app/_ui/layout/message.tsx"

/** A trace that is not stored: also what an address that is no trace id gives. */
export default function TraceNotFound() {
  return (
    <Message title="Trace not found">
      <p>
        No span of this trace is stored. It may not have arrived yet, its address may be mistyped, or it was older than
        the retention and has gone.
      </p>
      <p>
        <Link href="/traces">Latest traces</Link> · <ImportButton /> a file that has it
      </p>
    </Message>
  )
}
