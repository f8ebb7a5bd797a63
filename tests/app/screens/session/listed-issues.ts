import { waitFor } from "#tests/support/wait-for.ts"
import { sendSamples } from "../samples/sample-records.ts"

/** The issues of the sample records. */
const SAMPLE_ISSUES = 4

/** An issue as the read API lists it. */
export interface ListedIssue {
  readonly issueId: string
  readonly title: string
  readonly transaction: string
  readonly services: readonly string[]
}

export async function listedIssues(url: string, query = ""): Promise<readonly ListedIssue[]> {
  const response = await fetch(`${url}/api/errors${query}`)
  return ((await response.json()) as { issues: readonly ListedIssue[] }).issues
}

/** Sends the sample records. Resolves once their issues are listed. */
export async function sendListedSamples(url: string): Promise<void> {
  await sendSamples(url)
  await waitFor("the errors", async () => (await listedIssues(url)).length === SAMPLE_ISSUES)
}
