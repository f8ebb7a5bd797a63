import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { sendSamples } from "../app/screens/samples/sample-records.ts"

/**
 * Playwright's global set-up: the built inspector with sample records. Like any app, it reports to where `pagespan record`
 * points it. It stores none of its own traces, so that every screen has the same content in each walk.
 */
export default async function startInspector(): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT = "", OTEL_RESOURCE_ATTRIBUTES = "" } = process.env
  const app = await RunningApp.start({ PAGESPAN_SELF: "off", OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_RESOURCE_ATTRIBUTES })
  await sendSamples(app.url)
  process.env["APP_URL"] = app.url
  process.env["ISSUE"] = await waitFor("an error of the samples", async () => {
    const { issues } = (await (await fetch(`${app.url}/api/errors?q=charge`)).json()) as { issues: Issue[] }
    return issues[0]?.issueId
  })
  return async () => void (await app.stop())
}

interface Issue {
  readonly issueId: string
}
