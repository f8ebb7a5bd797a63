import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { firstScreen, NumberedTraces } from "#tests/support/numbered-traces.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** Nothing listens on this port. */
const UNREACHABLE = "http://127.0.0.1:9"
const FULL =
  "The journal is full, because the store has been unavailable. New data is refused until the store is back and has caught up."

async function launch(environment: Record<string, string>): Promise<RunningApp> {
  const app = await RunningApp.launch({ PAGESPAN_SELF: "off", PAGESPAN_JOURNAL: "2MB", ...environment })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await waitFor("the address", () => /^Pagespan is on /m.test(app.output))
  return app
}

test("a start on a full journal says so, refuses new data with a time, and stores everything acknowledged once there is a store", async () => {
  const directory = await temporaryDirectory()
  const first = await launch({ PAGESPAN_DATA: directory, CLICKHOUSE_URL: UNREACHABLE })
  const before = new NumberedTraces(first)
  await before.untilRefused()
  expect(before.acknowledged.length).toBeGreaterThan(20)
  expect(await firstScreen(first)).toContain(FULL)
  await first.stop("SIGKILL")

  const second = await launch({ PAGESPAN_DATA: directory, CLICKHOUSE_URL: UNREACHABLE })
  await waitFor("the sentence", async () => (await firstScreen(second)).includes(FULL))
  expect(await firstScreen(second)).toContain("ClickHouse does not respond")
  const health = await fetch(`${second.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { queue: { depth: before.acknowledged.length } }])
  expect(await new NumberedTraces(second).next()).toBe(503)
  await second.stop("SIGKILL")

  const third = await launch({ PAGESPAN_DATA: directory })
  await third.ready()
  await before.expectStored(third)
  await waitFor("the end of the sentence", async () => !(await firstScreen(third)).includes("is full"))
  const after = new NumberedTraces(third, before.acknowledged.length + 100)
  for (let count = 0; count < 40; count += 1) expect(await after.next()).toBe(200)
  await after.expectStored(third)
  await third.stop()
  expect(readdirSync(join(directory, "journal"))).toStrictEqual([])
})
