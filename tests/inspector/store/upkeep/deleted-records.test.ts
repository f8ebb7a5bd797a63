import { randomBytes } from "node:crypto"
import { describe, expect, test } from "vitest"
import { error, log } from "../events.ts"
import { bytes, countRows, filled } from "./filled-store.ts"
import { itemRecord } from "../items.ts"
import { ago } from "../spans.ts"
import { DAY_MS } from "../stores.ts"
import type { TestStore } from "../test-store.ts"

const TWO_DAYS_AGO = 2 * DAY_MS

/** The counts by category of what the store has recorded. */
async function recorded(store: TestStore): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { category, count } of await store.listDrops(100)) sums[category] = (sums[category] ?? 0) + count
  return sums
}

function dayId(agoMs: number): string {
  return new Date(Date.now() - agoMs).toISOString().slice(0, 10).replaceAll("-", "")
}

/** Errors of one issue, a second apart. */
function errors(count: number, agoMs: number) {
  return Array.from({ length: count }, (_, index) => error(1, index + 1, { time: ago(agoMs - index * 1_000) }))
}

function logs(count: number, agoMs: number) {
  return Array.from({ length: count }, (_, index) => log(index + 1, { time: ago(agoMs - index * 1_000) }))
}

describe("records that are deleted for the size of the store", () => {
  test("are counted with their day: errors, logs and items, and an event that is stored as both once", async () => {
    const { store, client, enforce } = await filled([0])
    const events = errors(3, TWO_DAYS_AGO)
    await store.insertErrors(events, "errors")
    await store.insertErrors(events.slice(0, 2), "two of them again")
    await store.insertLogs(logs(4, TWO_DAYS_AGO), "logs")
    const items = events.map(({ eventId, time }) => itemRecord({ type: "event", eventId, time }))
    const attachment = () => itemRecord({ type: "attachment", time: ago(TWO_DAYS_AGO), payload: randomBytes(50_000) })
    await store.insertItems([...items, attachment(), attachment()], "items")
    await enforce({ maxBytes: (await bytes(client)) - 20_000, storesDrops: true })
    expect(await recorded(store)).toStrictEqual({ error: 3, log_item: 4, default: 2 })
    expect(await countRows(client, "pagespan_errors")).toBe(0)
    expect(await countRows(client, "otel_traces")).toBe(1_000)
  })

  test("are counted, and deleted, even if the engine cannot tell in time which were stored twice", async () => {
    const { store, client, enforce } = await filled([0])
    await store.insertErrors(errors(3, TWO_DAYS_AGO), "errors")
    await enforce({ maxBytes: await bytes(client, dayId(0)), fails: /FINAL/, storesDrops: true })
    expect(await recorded(store)).toStrictEqual({ error: 3 })
    expect(await countRows(client, "pagespan_errors")).toBe(0)
  })

  test("are deleted, and counted then, even if the disk is too full for their count before", async () => {
    const { store, client, enforce } = await filled([0])
    await store.insertErrors(errors(3, TWO_DAYS_AGO), "errors")
    await enforce({ maxBytes: await bytes(client, dayId(0)), fullFor: "error", storesDrops: true })
    expect(await recorded(store)).toStrictEqual({ error: 3 })
    expect(await countRows(client, "pagespan_errors")).toBe(0)
  })

  test("are counted with the older half of a day: exactly the errors and logs that are deleted", async () => {
    const { store, client, enforce } = await filled([])
    await store.insertErrors(errors(10, TWO_DAYS_AGO), "errors")
    await store.insertLogs(logs(10, TWO_DAYS_AGO), "logs")
    await enforce({ maxBytes: 1, storesDrops: true })
    const counted = await recorded(store)
    expect(counted["error"]).toBeGreaterThan(0)
    const left = async () => ({
      error: 10 - (await countRows(client, "pagespan_errors")),
      log_item: 10 - (await countRows(client, "pagespan_logs")),
    })
    await expect.poll(left).toStrictEqual(counted)
  })

  test("are counted once each if deleting the second day fails, and is tried again", async () => {
    const { store, client, enforce } = await filled([0, 1, 2])
    await store.insertErrors([error(1, 1, { time: ago(TWO_DAYS_AGO) }), error(1, 2, { time: ago(DAY_MS) })], "errors")
    const maxBytes = Math.ceil((await bytes(client)) / 2)
    const fails = new RegExp(`pagespan_errors DROP PARTITION ID '${dayId(DAY_MS)}'`)
    await expect(enforce({ maxBytes, fails, storesDrops: true })).rejects.toThrow("made up")
    // Of the second day, everything is recorded whose rows may be gone.
    expect(await recorded(store)).toStrictEqual({ span: 2_000, error: 2 })
    expect(await countRows(client, "pagespan_errors")).toBe(1)
    await enforce({ maxBytes: await bytes(client, dayId(0)), storesDrops: true })
    expect(await recorded(store)).toStrictEqual({ span: 2_000, error: 2 })
    expect(await countRows(client, "pagespan_errors")).toBe(0)
    // What arrives late on a deleted day is counted too.
    await store.insertErrors([error(1, 3, { time: ago(TWO_DAYS_AGO) })], "late")
    await enforce({ maxBytes: await bytes(client, dayId(0)), storesDrops: true })
    expect(await recorded(store)).toStrictEqual({ span: 2_000, error: 3 })
  })
})
