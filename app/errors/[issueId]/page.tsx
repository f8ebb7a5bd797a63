import type { Metadata } from "next"
import { notFound, redirect } from "next/navigation"
import { connection } from "next/server"
import { QueryResult } from "#app/_live/query-result.tsx"
import { readScreen } from "#app/_live/read-screen.ts"
import { StoreStarting } from "#app/_live/store-starting.tsx"
import { type PageParameters, withParameters } from "#app/_ui/input/parameters.ts"
import { IssueView } from "#app/errors/[issueId]/issue-view.tsx"
import { readIssue } from "#app/errors/[issueId]/read-issue.ts"

export const metadata: Metadata = { title: "Error" }

const ISSUE_ID = /^[0-9a-f]{32}$/

export default async function IssuePage({
  params,
  searchParams,
}: {
  params: Promise<{ issueId: string }>
  searchParams: Promise<PageParameters>
}) {
  await connection()
  const [{ issueId }, { event }] = await Promise.all([params, searchParams])
  if (!ISSUE_ID.test(issueId)) notFound()
  const renderedAt = Date.now()
  const eventId = typeof event === "string" ? event : undefined
  const result = await readScreen((queries) => readIssue(queries, issueId, eventId, renderedAt))
  if (result === undefined) return <StoreStarting />
  const address = withParameters(`/errors/${issueId}`, new URLSearchParams(), { event: eventId })
  return (
    <QueryResult result={result} address={address} title="Error">
      {(read) => {
        if (read === null) notFound()
        if ("address" in read) redirect(read.address)
        return <IssueView {...read} renderedAt={renderedAt} />
      }}
    </QueryResult>
  )
}
