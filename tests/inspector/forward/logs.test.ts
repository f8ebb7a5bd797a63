import { expect, test } from "vitest"
import { encodeResponse } from "#otel/protocol/otlp/responses.ts"
import { secret } from "#otel/protocol/secret.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { A, answered, B, forwarder, spans } from "./forwarder-under-test.ts"

const SENTRY = secret("http://k@s.example/1")
/** Whatever the sender wrote: the forwarder does not read it. */
const BODY = Buffer.from("a request of logs")

const logs = (encoding: "json" | "protobuf") => ({ logsRequest: BODY, encoding, logCount: 3 })

test.each([
  ["json", "application/json"],
  ["protobuf", "application/x-protobuf"],
] as const)("logs are forwarded as they arrived, in %s, also by the next process", async (encoding, mediaType) => {
  const directory = await temporaryDirectory()
  const given = { otlp: [`${A}/base/v1/traces`, B], sentry: SENTRY, directory }
  const down = await forwarder(given, () => ({ outcome: "failed" }))
  down.offer(logs(encoding))
  await waitFor("the queues", () => down.waiting().length === 3)
  await down.close()
  const { sent, dropped, settled } = await forwarder(given, () => answered(200))
  await settled()
  expect(sent.map(({ url }) => url).toSorted()).toEqual([
    "http://a.example/base/v1/logs",
    "http://b.example/v1/logs",
    "http://s.example/api/1/integration/otlp/v1/logs/",
  ])
  for (const { body, headers } of sent)
    expect([Buffer.from(body).toString(), headers["content-type"]]).toEqual([BODY.toString(), mediaType])
  expect([...down.dropped(), ...dropped()]).toEqual([])
})

test("a rate limit of Sentry for logs drops no spans, and counts the logs", async () => {
  const limited = answered(200, { "x-sentry-rate-limits": "60:log_item:organization" })
  const { offer, sent, dropped, settled } = await forwarder({ otlp: [], sentry: SENTRY }, () => limited)
  offer(logs("json"))
  await settled()
  offer(logs("json"))
  offer({ spans: spans(2) })
  await waitFor("the spans", () => sent.length === 2)
  expect(sent.map(({ url }) => new URL(url).pathname.split("/").at(-2))).toEqual(["logs", "traces"])
  expect(dropped()).toEqual(["ratelimit_backoff/log_item=3"])
})

test.each(["json", "protobuf"] as const)(
  "what a collector rejects of logs that it accepts is counted and not sent again: %s",
  async (encoding) => {
    const partial = encodeResponse("logs", encoding, { rejected: 2, message: "too old" })
    const answer = { ...answered(200), body: partial }
    const { offer, sent, dropped, settled } = await forwarder({}, () => answer)
    offer(logs(encoding))
    await settled()
    await waitFor("the request", () => sent.length === 1)
    expect([sent.length, dropped()]).toEqual([1, ["send_error/log_item=2"]])
  },
)
