import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { WorkTurns } from "#otel/protocol/transport/read-body.ts"

/** Keeps the thread, as decoding a body does. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

async function countTurns(until: Promise<unknown>): Promise<number> {
  const over = until.then(() => "over" as const)
  for (let turns = 0; ; turns += 1)
    if ((await Promise.race([over, setImmediate("going on" as const)])) === "over") return turns
}

test("of 40 bodies of 6 ms that came together at most two are worked on in a turn of the event loop, in their order", async () => {
  const turns = new WorkTurns()
  const order: number[] = []
  const all = Array.from({ length: 40 }, async (_, index) => {
    await turns.next()
    work(6)
    // What decoding is followed by, and what follows that.
    await undefined
    await undefined
    order.push(index)
  })
  expect(await countTurns(Promise.all(all))).toBeGreaterThan(15)
  expect(order).toStrictEqual(Array.from({ length: 40 }, (_, index) => index))
})

test("one that comes alone waits for no turn", async () => {
  const turns = new WorkTurns()
  for (let count = 0; count < 5; count += 1) {
    let isTurnOver = false
    void setImmediate().then(() => (isTurnOver = true))
    await turns.next()
    expect(isTurnOver).toBe(false)
    await setImmediate()
  }
})

test("one that comes while others wait goes after them", async () => {
  const turns = new WorkTurns()
  const order: string[] = []
  const take = async (name: string, ms: number) => {
    await turns.next()
    order.push(name)
    work(ms)
  }
  const first = [take("long", 12), take("second", 1), take("third", 1)]
  await first[0]
  await Promise.all([...first, take("late", 0)])
  expect(order).toStrictEqual(["long", "second", "third", "late"])
})
