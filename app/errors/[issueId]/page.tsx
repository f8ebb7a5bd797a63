import type { Metadata } from "next"
import { notFound } from "next/navigation"
import { connection } from "next/server"
import { readIssue } from "#app/errors/[issueId]/read-issue.ts"
import { IssueView } from "#app/errors/[issueId]/issue-view.tsx"
import { fromStore } from "#app/feed/from-store.ts"
import { StoreStarting } from "#app/feed/store-starting.tsx"
import type { PageParameters } from "#app/ui/search-parameters.ts"

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
  const read = await fromStore((_traces, inspector) =>
    readIssue(inspector, issueId, typeof event === "string" ? event : undefined, renderedAt),
  )
  if (read === undefined) return <StoreStarting />
  if (read === null) notFound()
  return <IssueView {...read} renderedAt={renderedAt} />
}
