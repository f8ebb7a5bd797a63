import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { parseIssueListQuery } from "../queries/errors/issue-list-query.ts"
import { issueDetailToJson, issueToJson } from "../queries/errors/issue.ts"
import { problem, read } from "./traces.ts"

const ISSUE_ID = /^[0-9a-f]{32}$/

/** `GET /api/errors`: a page of issues by the query parameters of the screen. */
export function listIssuesHandler(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async ({ errors }) => {
    const { query, notices } = parseIssueListQuery(new URL(request.url).searchParams, Date.now())
    const { issues, next } = await errors.listIssues(query)
    return Response.json(
      { issues: issues.map(issueToJson), next: next ?? null, ...(notices.length > 0 && { notices }) },
      { headers: DYNAMIC_HEADERS },
    )
  })
}

/** `GET /api/errors/{issueId}`: the issue with its newest events. 404 where it is not known. */
export function issueHandler(inspector: Inspector, request: Request, issueId: string): Promise<Response> {
  return read(inspector, request, async ({ errors }) => {
    if (!ISSUE_ID.test(issueId)) return problem(400, "An issue id has 32 hexadecimal digits.")
    const issue = await errors.readIssue(issueId)
    if (issue === undefined) return problem(404, "No event of this issue is known.")
    return Response.json(issueDetailToJson(issue), { headers: DYNAMIC_HEADERS })
  })
}
