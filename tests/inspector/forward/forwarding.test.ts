import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readConfig } from "#otel/inspector/config.ts"
import { openForwarding } from "#otel/inspector/forward/forwarding.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecords } from "#tests/inspector/ingest/span-records.ts"
import { waitFor } from "#tests/support/wait-for.ts"

test("records that arrive while forwarding loads are forwarded", async () => {
  const directory = await temporaryDirectory()
  const config = readConfig({ PAGESPAN_DATA: directory, PAGESPAN_FORWARD_OTLP: "https://collector.example/v1/traces" })
  const forwarding = openForwarding(config, () => undefined)
  forwarding?.open()
  forwarding?.offer({ spans: spanRecords(2) })
  const queued = async () => (await readdir(join(directory, "forward"), { recursive: true })).length > 1
  await waitFor("a delivery on disk", () => queued().catch(() => false))
  await forwarding?.close()
})

test("without a forwarding target, nothing is written", async () => {
  const directory = await temporaryDirectory()
  expect(openForwarding(readConfig({ PAGESPAN_DATA: directory }), () => undefined)).toBeUndefined()
  expect(await readdir(directory)).toStrictEqual([])
})
