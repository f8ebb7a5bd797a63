import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { connect } from "#otel/inspector/store/clickhouse.ts"
import { openStore } from "#otel/inspector/store/store.ts"
import { secret } from "#otel/protocol/secret.ts"
import { clientOf, processOfFile, TOKEN } from "./process/processes.ts"
import { DAY_MS } from "./stores.ts"

/** Running queries of a caller that disconnects. */

const ENDLESS = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))"

const port = processOfFile()
let client: ClickHouseClient
beforeAll(() => (client = clientOf(port())))
afterAll(() => client.close())

async function running(): Promise<number> {
  const query = "SELECT count() FROM system.processes WHERE query LIKE '%sipHash' || '64%'"
  return Number(await (await client.query({ query, format: "TabSeparated" })).text())
}

describe("if the caller disconnects", () => {
  test("the embedded engine stops reading", async () => {
    const clickhouse = connect({
      url: secret(`http://127.0.0.1:${port()}`),
      password: secret(TOKEN),
      embedded: true,
    })
    onTestFinished(() => clickhouse.close())
    const asker = new AbortController()
    const answer = clickhouse.withSignal(asker.signal).select(ENDLESS)
    answer.catch(() => undefined)
    await expect.poll(running).toBe(1)
    asker.abort()
    await expect(answer).rejects.toThrow("abort")
    await expect.poll(running).toBe(0)
  })

  test("the store sends KILL QUERY for that query to a server", async () => {
    const queries: URL[] = []
    const statements: string[] = []
    // Delays queries, and accepts statements.
    const server = createServer(async (request, response) => {
      const url = new URL(request.url ?? "/", "http://server.invalid")
      const sent = Buffer.concat(await request.toArray())
      const body = (request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent).toString()
      if (body.startsWith("KILL")) {
        statements.push(`${body} ${url.searchParams.get("param_id")}`)
        response.end()
      } else queries.push(url)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port: serverPort } = server.address() as AddressInfo
    const clickhouse = connect({ url: secret(`http://127.0.0.1:${serverPort}`), embedded: false })
    onTestFinished(() => clickhouse.close())
    const asker = new AbortController()
    const answer = clickhouse.withSignal(asker.signal).select("SELECT 1")
    answer.catch(() => undefined)
    await expect.poll(() => queries.length).toBe(1)
    asker.abort()
    await expect(answer).rejects.toThrow("abort")
    const id = queries[0]?.searchParams.get("query_id")
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await expect.poll(() => statements).toStrictEqual([`KILL QUERY WHERE query_id = {id:String} ASYNC ${id}`])
  })

  test("the query rejects as cancelled, and the store serves other queries", async () => {
    const held = await holding(port())
    const store = openStore({ url: secret(held.url) }, { retentionMs: DAY_MS })
    onTestFinished(() => store.close())
    await store.ready()
    held.isHolding = true
    const asker = new AbortController()
    const answer = store.withSignal(asker.signal).listTraces({ limit: 10 })
    answer.catch(() => undefined)
    await expect.poll(() => held.count).toBeGreaterThan(0)
    asker.abort()
    await expect(answer).rejects.toMatchObject({ name: "QueryCancelled" })
    await expect(store.withSignal(asker.signal).listTraces({ limit: 10 })).rejects.toMatchObject({
      name: "QueryCancelled",
    })
    held.isHolding = false
    expect(store.state).toBe("ready")
    expect(await store.listTraces({ limit: 10 })).toMatchObject({ traces: [] })
  })
})

/** A proxy to the store process that can delay requests. */
async function holding(to: number) {
  const held = { url: "", isHolding: false, count: 0 }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (held.isHolding) {
      held.count += 1
      return
    }
    const onward = requestTo(
      { port: to, host: "127.0.0.1", method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  held.url = `http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${(server.address() as AddressInfo).port}`
  return held
}
