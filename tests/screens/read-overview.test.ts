import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import type { Asked } from "#app/feed/from-store.ts"
import { listPlace } from "#app/traces/list-address.ts"
import { readOverview } from "#app/traces/read-overview.ts"
import { parseTraceListQuery } from "#otel/query/trace-list-query.ts"

/** What is read around the list, of a store that answers when it is told to. */
function slowStore() {
  const questions: string[] = []
  let answerNext: ((fails: boolean) => void) | undefined
  const asked = {
    remember(key: string) {
      questions.push(key.split(" ", 1)[0]!)
      return new Promise((resolve, reject) => {
        answerNext = (fails) => (fails ? reject(new Error("it took too long")) : resolve([]))
      })
    },
  } as unknown as Asked
  return { questions, asked, answer: (fails = false) => answerNext?.(fails) }
}

function overviewOf(asked: Asked, list: Promise<unknown> = Promise.resolve()) {
  const own = { services: [], isHidden: false }
  const place = listPlace(
    parseTraceListQuery(new URLSearchParams(), 0, () => undefined),
    undefined,
  )
  return readOverview(asked, list, {}, place, own, 0)
}

test("the store is asked for one thing at a time, and for the next also where one could not be had", async () => {
  const { questions, asked, answer } = slowStore()
  const { facets } = overviewOf(asked)
  const seen: number[] = []
  for (const fails of [false, true, false, false]) {
    await setImmediate()
    seen.push(questions.length)
    answer(fails)
  }
  expect(seen).toStrictEqual([1, 2, 3, 4])
  expect(questions).toStrictEqual(["overview", "service", "route", "kind"])
  expect(await Promise.all(Object.values(facets))).toStrictEqual([undefined, [], []])
})

test("nothing is asked of the store before the list has been read", async () => {
  const { questions, asked, answer } = slowStore()
  let listIsRead: () => void = () => undefined
  const { counts } = overviewOf(asked, new Promise<void>((resolve) => (listIsRead = resolve)))
  await setImmediate()
  expect(questions).toStrictEqual([])
  listIsRead()
  await setImmediate()
  expect(questions).toStrictEqual(["overview"])
  answer()
  await counts
})
