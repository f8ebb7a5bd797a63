import type { Inspector } from "../inspector.ts"
import { parseIssueListQuery } from "../queries/errors/issue-list-query.ts"
import { issueDetailToJson, issueToJson } from "../queries/errors/issue.ts"
import { json, page, problem, respond } from "./respond.ts"

const ISSUE_ID = /^[0-9a-f]{32}$/

/** `GET /api/errors`: a page of issues, by the same query parameters as the screen. */
export function listErrors(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const { query, refusal, notices } = parseIssueListQuery(parameters, Date.now())
    if (refusal !== undefined) return problem(400, refusal)
    const { issues, next } = await queries.errors(query)
    return page({ issues: issues.map(issueToJson) }, next, parameters.noticesWith(notices))
  })
}

/** `GET /api/errors/{issueId}`: the issue with its newest events, in their original source. 404 when the issue is unknown. */
export function getIssue(inspector: Inspector, request: Request, issueId: string): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    if (!ISSUE_ID.test(issueId)) return problem(400, "An issue id has 32 hexadecimal digits.")
    const issue = await queries.mappedIssue(issueId)
    return issue === undefined ? problem(404, "No event of this issue is stored.") : json(issueDetailToJson(issue))
  })
}
