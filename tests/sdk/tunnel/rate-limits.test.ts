import { expect, test } from "vitest"
import { sentryProtocol } from "#otel/inspector/forward/protocols.ts"
import { splitEnvelope } from "#otel/protocol/sentry/split-envelope.ts"
import { envelopeText } from "./tunnel-runtime.ts"

/** The items that a project's rate limits drop. */

const START = Date.parse("2026-11-20T12:00:00Z")

/** One item for each of Sentry's categories. */
const ITEMS = [
  ["event", "error"],
  ["transaction", "transaction"],
  ["span", "span"],
  ["log", "log_item"],
  ["session", "session"],
  ["sessions", "session"],
  ["attachment", "attachment"],
  ["check_in", "monitor"],
  ["feedback", "feedback"],
  ["user_report", "default"],
  ["profile", "profile"],
  ["profile_chunk", "profile"],
  ["replay_event", "replay"],
  ["replay_recording", "replay"],
  ["raw_security", "security"],
  ["client_report", "internal"],
  ["trace_metric", "metric"],
] as const
const CATEGORIES = [...new Set(ITEMS.map(([, category]) => category))]

type Answer = readonly [status: number, headers: Readonly<Record<string, string>>]

/** A project that has sent these responses, one per second. */
function project(...answers: Answer[]) {
  let now = START
  const protocol = sentryProtocol({ dsn: "https://key@sentry.example/1", now: () => now })
  for (const [status, headers] of answers) {
    protocol.answered(status, (name) => headers[name])
    now += 1_000
  }
  now -= 1_000
  /** The categories that are limited this many seconds after the last response. */
  const heldBack = (seconds: number): string[] => {
    now = START + (answers.length - 1 + seconds) * 1_000
    const items = ITEMS.map(([type]): [string, object] => [type, {}])
    const { request: sent, leftOut } = protocol.attempt(
      { kind: "envelope", category: "error", count: 1 },
      Buffer.from(envelopeText({}, ...items)),
    )
    const envelope = sent && splitEnvelope(sent.body)
    const types = envelope?.ok === true ? envelope.items.map(({ type }) => type) : []
    // Each dropped item is counted.
    const dropped = leftOut.map(({ reason, count }) => `${reason}=${count}`)
    expect(dropped).toEqual(ITEMS.filter(([type]) => !types.includes(type)).map(() => "ratelimit_backoff=1"))
    const isHeld = (category: string) => ITEMS.every(([type, of]) => of !== category || !types.includes(type))
    return CATEGORIES.filter(isHeld)
  }
  return { heldBack }
}

const limits = (value: string): Answer => [200, { "x-sentry-rate-limits": value }]
const retryAfter = (value: string, status = 429): Answer => [status, { "retry-after": value }]
const ALL = CATEGORIES
const inDate = (seconds: number) => new Date(START + seconds * 1_000).toUTCString()

/** The cases of Sentry's own SDK. `until`: seconds after which nothing is limited. */
test.each<[what: string, answers: Answer[], held: readonly string[], until: number]>([
  ["nothing was said", [[200, {}]], [], 0],
  ["a refusal says nothing", [[500, {}]], [], 0],
  ["429 says nothing", [[429, {}]], ALL, 60],
  ["Retry-After says seconds", [retryAfter("7")], ALL, 7],
  ["Retry-After says a date", [retryAfter(inDate(90))], ALL, 90],
  ["Retry-After says a past date", [retryAfter(inDate(-90))], [], 0],
  ["Retry-After says nonsense", [retryAfter("soon")], ALL, 60],
  ["Retry-After comes with success", [retryAfter("7", 200)], ALL, 7],
  ["Retry-After comes with 503", [retryAfter("7", 503)], ALL, 7],
  ["one category is named", [limits("13:error:organization")], ["error"], 13],
  ["two categories are named", [limits("13:error;transaction:organization")], ["error", "transaction"], 13],
  ["categories come in groups", [limits("13:error:org,13:span;session:org")], ["error", "span", "session"], 13],
  ["groups have spaces between them", [limits("13:error:org, 13:span:org")], ["error", "span"], 13],
  ["no category is named", [limits("13::organization")], ALL, 13],
  ["nothing but the time is named", [limits("13")], ALL, 13],
  ["the time is nonsense", [limits("x:error:organization")], ["error"], 60],
  ["the time is missing", [limits(":error:organization")], ["error"], 60],
  ["the time is nought", [limits("0:error:organization")], [], 0],
  ["a category is unknown", [limits("13:starlight;error:organization")], ["error"], 13],
  ["only unknown categories are named", [limits("13:starlight:organization")], [], 0],
  ["a reason is given", [limits("13:error:organization:quota_exceeded")], ["error"], 13],
  ["namespaces are given", [limits("13:metric_bucket:organization:quota:custom")], [], 0],
  ["the header comes with 429", [[429, { "x-sentry-rate-limits": "13:error:org" }]], ["error"], 13],
  ["both headers come", [[429, { "x-sentry-rate-limits": "13:error:org", "retry-after": "99" }]], ["error"], 13],
  ["a later answer says nothing", [limits("13:error:org"), [200, {}]], ["error"], 12],
  ["a later answer names another", [limits("13:error:org"), limits("12:span:org")], ["error", "span"], 12],
  ["a later answer names a later time", [limits("13:error:org"), limits("90:error:org")], ["error"], 90],
  ["a limit is renewed by 429", [limits("3:error:org"), [429, {}]], ALL, 60],
])("after %s, exactly these items are dropped, and no longer than this", (_, answers, held, until) => {
  const { heldBack } = project(...answers)
  if (until > 0) expect(heldBack(until - 1).toSorted()).toEqual([...held].toSorted())
  expect(heldBack(until)).toEqual([])
})

/** The same random numbers in every run. */
function sequence(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
}

test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  "generated header %i limits exactly the categories that it names",
  (seed) => {
    const pick = sequence(seed + 1)
    const shuffled = CATEGORIES.map((category) => [pick(1_000), category] as const).toSorted(([a], [b]) => a - b)
    const names = shuffled.map(([, category]) => category)
    const groups = Array.from({ length: 1 + pick(4) }, () => ({
      seconds: 1 + pick(600),
      categories: names.splice(0, 1 + pick(3)),
    }))
    const scope = () => ["", ":organization", ":project:quota", ":key:spike_protection:custom"][pick(4)] ?? ""
    const header = groups.map(({ seconds, categories }) => `${seconds}:${categories.join(";")}${scope()}`).join(",")
    const { heldBack } = project(limits(header))
    for (const at of [0, ...groups.flatMap(({ seconds }) => [seconds - 1, seconds])])
      expect([header, at, heldBack(at).toSorted()]).toEqual([
        header,
        at,
        groups
          .filter(({ seconds }) => at < seconds)
          .flatMap(({ categories }) => categories)
          .toSorted(),
      ])
  },
)
