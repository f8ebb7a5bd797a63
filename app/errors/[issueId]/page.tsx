import type { Metadata } from "next"
import { notFound, redirect } from "next/navigation"
import { connection } from "next/server"
import { cache } from "react"
import { internalTelemetryAmong } from "#app/_live/internal-telemetry.ts"
import { QueryResult } from "#app/_query/query-result.tsx"
import { readScreen } from "#app/_query/read-screen.ts"
import { StoreStarting } from "#app/_query/store-starting.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { type PageParameters, withParameters } from "#app/_ui/input/parameters.ts"
import { IssueView } from "#app/errors/[issueId]/issue-view.tsx"
import { readIssue } from "#app/errors/[issueId]/read-issue.ts"

const ISSUE_ID = /^[0-9a-f]{32}$/

interface IssuePageProps {
  readonly params: Promise<{ issueId: string }>
  readonly searchParams: Promise<PageParameters>
}

/** The issue in the URL, cached for the request, because title and screen both need it. */
const readPage = cache(async (issueId: string, eventId: string | undefined) => {
  await connection()
  const renderedAt = Date.now()
  if (!ISSUE_ID.test(issueId)) return { renderedAt, result: undefined }
  return { renderedAt, result: await readScreen((queries) => readIssue(queries, issueId, eventId, renderedAt)) }
})

export async function generateMetadata({ params, searchParams }: IssuePageProps): Promise<Metadata> {
  const { result } = await readPage((await params).issueId, eventOf(await searchParams))
  return { title: result?.is === "ready" ? titleOf(result.value) : "Error" }
}

function titleOf(read: Awaited<ReturnType<typeof readIssue>>): string {
  return read !== null && "issue" in read ? shownName(read.issue.title) : "Error"
}

function eventOf({ event }: PageParameters): string | undefined {
  return typeof event === "string" ? event : undefined
}

export default async function IssuePage({ params, searchParams }: IssuePageProps) {
  const { issueId } = await params
  const eventId = eventOf(await searchParams)
  const { renderedAt, result } = await readPage(issueId, eventId)
  if (!ISSUE_ID.test(issueId)) notFound()
  if (result === undefined) return <StoreStarting />
  const address = withParameters(`/errors/${issueId}`, new URLSearchParams(), { event: eventId })
  return (
    <QueryResult result={result} address={address} title="Error" titleOf={titleOf}>
      {(read) => {
        if (read === null) notFound()
        if ("address" in read) redirect(read.address)
        return <IssueView {...read} own={internalTelemetryAmong([read.event.service])} renderedAt={renderedAt} />
      }}
    </QueryResult>
  )
}
