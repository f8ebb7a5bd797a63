import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import { internalTelemetryAmong } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { fromSegment } from "#app/_ui/input/segment.ts"
import { NoSession, SessionScreen } from "#app/sessions/[id]/session-screen.tsx"
import { sessionAddress } from "#app/sessions/session-address.ts"

export const metadata: Metadata = { title: "Session" }

export default async function SessionPage({ params }: { params: Promise<{ id: string }> }) {
  await connection()
  const sessionId = fromSegment((await params).id)
  if (sessionId === undefined) notFound()
  // `null` for an unknown id: a pending result must have a value.
  const result = await readScreen(async (queries) => (await queries.session(sessionId)) ?? null)
  if (result === undefined) return <StoreStarting />
  return (
    <QueryResult result={result} address={sessionAddress(sessionId)} title="Session">
      {(session) => {
        if (session === null) return <NoSession sessionId={sessionId} />
        const own = internalTelemetryAmong(session.views.map(({ service }) => service))
        return <SessionScreen session={session} own={own} />
      }}
    </QueryResult>
  )
}
