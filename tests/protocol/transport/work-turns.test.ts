import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { WorkTurns } from "#otel/protocol/transport/read-body.ts"

/** Blocks the thread, as decoding a body does. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

async function countTurns(until: Promise<unknown>): Promise<number> {
  const over = until.then(() => "over" as const)
  for (let turns = 0; ; turns += 1)
    if ((await Promise.race([over, setImmediate("going on" as const)])) === "over") return turns
}

test("of 40 concurrent bodies of 6 ms each, a turn of the event loop decodes at most two, in order", async () => {
  const turns = new WorkTurns()
  const order: number[] = []
  const all = Array.from({ length: 40 }, async (_, index) => {
    await turns.next()
    work(6)
    // Decoding is followed by asynchronous work, which queues more.
    await undefined
    await undefined
    order.push(index)
  })
  expect(await countTurns(Promise.all(all))).toBeGreaterThan(15)
  expect(order).toStrictEqual(Array.from({ length: 40 }, (_, index) => index))
})

test("a single body waits for no turn", async () => {
  const turns = new WorkTurns()
  for (let count = 0; count < 5; count += 1) {
    let isTurnOver = false
    void setImmediate().then(() => (isTurnOver = true))
    await turns.next()
    expect(isTurnOver).toBe(false)
    await setImmediate()
  }
})

test("a body that arrives while others wait is decoded after them", async () => {
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
