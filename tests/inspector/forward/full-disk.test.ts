import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { mountSmallDisk } from "#tests/support/small-disk.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { answered, forwarder, spans, spansIn } from "./forwarder-under-test.ts"

const OFFERED = 40

test("a delivery that a full disk cuts short is counted once, leaves no file, and is not sent later", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=128k,mode=700")) return context.skip("needs the right to mount a file system")
  // The rest has room for a few deliveries.
  writeFileSync(join(directory, "filler"), Buffer.alloc(96 * 1024))
  const first = await forwarder({ directory }, () => answered(503))
  for (let batch = 0; batch < OFFERED; batch++) first.offer({ spans: spans(100) })
  await first.close()
  const refused = first.drops.reduce((sum, { count }) => sum + count, 0)
  expect([refused > 0, new Set(first.drops.map(({ reason }) => reason))]).toEqual([
    true,
    new Set(["store_unavailable"]),
  ])
  expect(readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith(".unfinished"))).toEqual([])
  const second = await forwarder({ directory }, () => answered(200))
  await second.settled()
  expect(second.dropped()).toEqual([])
  const delivered = second.delivered.reduce((sum, request) => sum + spansIn(request), 0)
  expect(delivered + refused).toBe(OFFERED * 100)
})
