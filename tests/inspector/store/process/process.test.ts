import { connect } from "node:net"
import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { insertStatement } from "#otel/inspector/store/insert-statement.ts"
import { clientOf, processOfFile, TOKEN } from "./processes.ts"

/** The store process with ClickHouse's own client, and with requests that it must refuse. */

const port = processOfFile()

async function post(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port()}${path}`, {
    method: "POST",
    ...init,
    headers: { "X-ClickHouse-Key": TOKEN, ...init.headers },
  })
}

describe.each([
  ["plain", false],
  ["gzipped", true],
] as const)("ClickHouse's own client, %s", (_name, compressed) => {
  let shared: ClickHouseClient | undefined
  const client = () => (shared ??= clientOf(port(), TOKEN, compressed))
  afterAll(() => shared?.close())
  const table = compressed ? "gzipped" : "plain"

  test("pings", async () => {
    expect(await client().ping()).toStrictEqual({ success: true })
    expect(await client().ping({ select: true })).toStrictEqual({ success: true })
  })

  test("creates tables, inserts with a body and reads rows", async () => {
    await client().command({ query: `CREATE TABLE ${table} (id UInt64, name String) ENGINE = MergeTree ORDER BY id` })
    await client().insert({ table, values: [{ id: "18446744073709551615", name: "a'\n\\☃" }], format: "JSONEachRow" })
    const { stream } = await client().exec({
      query: `INSERT INTO ${table} SETTINGS async_insert = 0 FORMAT JSONEachRow`,
      values: Readable.from(Buffer.from('{"id":"1","name":"b"}\n'), { objectMode: false }),
    })
    await stream.toArray()
    const answer = await client().query({
      query: `SELECT toString(id) AS id, name FROM ${table} ORDER BY id`,
      format: "JSONEachRow",
    })
    expect(await answer.json()).toStrictEqual([
      { id: "1", name: "b" },
      { id: "18446744073709551615", name: "a'\n\\☃" },
    ])
  })

  test("inserts a body into tables and columns of any name, since no SQL is edited but at the place that the statement names", async () => {
    const name = `\`${table} INSERT INTO t (a) -- odd\``
    await client().command({ query: `CREATE TABLE ${name} (\`a (b)\` UInt8) ENGINE = MergeTree ORDER BY tuple()` })
    const insert = async (query: string, row: string) => {
      const values = Readable.from(Buffer.from(row), { objectMode: false })
      await (await client().exec({ query, values })).stream.toArray()
    }
    await insert(`INSERT INTO ${name} (\`a (b)\`) FORMAT JSONEachRow`, '{"a (b)":1}')
    const settings = ["async_insert = 0"]
    await insert(insertStatement({ table: name, columns: ["`a (b)`"], settings, format: "JSONEachRow" }), '{"a (b)":2}')
    const answer = await client().query({ query: `SELECT * FROM ${name} ORDER BY 1`, format: "JSONCompactEachRow" })
    expect(await answer.json()).toStrictEqual([[1], [2]])
  })

  test("binds parameters of every form", async () => {
    const answer = await client().query({
      query: `SELECT {text:String} AS text, toString({big:UInt64}) AS big, {list:Array(String)} AS list,
        {map:Map(String, String)} AS map, toString({time:DateTime64(9)}) AS time, {nothing:Nullable(String)} AS nothing`,
      query_params: {
        text: "a'b\\c\nd\te\\n--",
        big: 18446744073709551615n,
        list: ["it's", "b\\", "c\nd"],
        map: { "k'": "v\\" },
        time: "2026-01-02 03:04:05.123456789",
        nothing: null,
      },
      format: "JSONEachRow",
    })
    expect(await answer.json()).toStrictEqual([
      {
        text: "a'b\\c\nd\te\\n--",
        big: "18446744073709551615",
        list: ["it's", "b\\", "c\nd"],
        map: { "k'": "v\\" },
        time: "2026-01-02 03:04:05.123456789",
        nothing: null,
      },
    ])
  })

  test("binds parameters that are too long for a URL", async () => {
    const list = Array.from({ length: 2_000 }, (_, index) => `it's\\ \r\n\t☃ ${index}`)
    const answer = await client().query({
      query: "SELECT {list:Array(String)} AS list, {text:String} AS text",
      query_params: { list, text: "--x\r\n" },
      use_multipart_params_auto: true,
      format: "JSONEachRow",
    })
    expect(await answer.json()).toStrictEqual([{ list, text: "--x\r\n" }])
  })

  test("gets ClickHouse's code and type for an error", async () => {
    for (const [query, code, type] of [
      ["SELECT nothing", "47", "UNKNOWN_IDENTIFIER"],
      ["SELEC 1", "62", "SYNTAX_ERROR"],
      ["SELECT * FROM nowhere", "60", "UNKNOWN_TABLE"],
      ["SELECT 1 WHERE {missing:UInt8} = 1", "456", "UNKNOWN_QUERY_PARAMETER"],
    ] as const)
      await expect(client().query({ query })).rejects.toMatchObject({ code, type })
  })

  test("receives an error that occurs after the first rows", async () => {
    // Less than 16 KiB before the error: of more, Node's gunzip may cut the frame of the exception in two, which the client cannot read.
    const answer = await client().query({
      query: "SELECT throwIf(number = 200) FROM numbers(300) SETTINGS max_threads = 1, max_block_size = 50",
      format: "JSONEachRow",
    })
    await expect(answer.json()).rejects.toMatchObject({ code: "395" })
  })

  test("reads a result without rows, and one in the format that the SQL names", async () => {
    const none = await client().query({ query: "SELECT 1 WHERE 0", format: "JSONEachRow" })
    expect(await none.json()).toStrictEqual([])
    const csv = await client().query({ query: "SELECT 1, 'a'", format: "CSV" })
    expect(await csv.text()).toBe('1,"a"\n')
  })

  test("runs many concurrent statements, each with its own parameters", async () => {
    const numbers = Array.from({ length: 30 }, (_, index) => index)
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const answer = await client().query({
          query: "SELECT {n:UInt32} AS n",
          query_params: { n: number },
          format: "JSONEachRow",
        })
        return answer.json()
      }),
    )
    expect(answers).toStrictEqual(numbers.map((n) => [{ n }]))
  })
})

describe("a statement does not affect others", () => {
  let client: ClickHouseClient
  beforeAll(() => (client = clientOf(port())))
  afterAll(() => client.close())
  const text = async (sql: string) => (await client.query({ query: sql, format: "TabSeparated" })).text()

  test("by a setting, which ends with the statement", async () => {
    await text("SELECT 1 SETTINGS max_block_size = 7")
    const values = await Promise.all(Array.from({ length: 4 }, () => text("SELECT getSetting('max_block_size')")))
    expect(new Set(values)).not.toContain("7\n")
  })

  const ENDLESS = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))"
  const running = async () =>
    Number(await text("SELECT count() FROM system.processes WHERE query LIKE '%sipHash' || '64%'"))

  test("after its time limit, since it has ended", async () => {
    // The other statement takes longer, so that the next one runs on another connection.
    const [endless] = await Promise.allSettled([
      text(`${ENDLESS} SETTINGS max_execution_time = 0.2`),
      text("SELECT sleep(1)"),
    ])
    expect(endless).toMatchObject({ status: "rejected", reason: { code: "159" } })
    expect(await running()).toBe(0)
  })

  test("while it waits for its own subquery", async () => {
    const order: string[] = []
    const run = async (what: string, query: string) => {
      await (await client.query({ query, format: "JSONEachRow" })).json()
      order.push(what)
    }
    const slow = run("slow", "SELECT (SELECT max(sleepEachRow(1)) FROM numbers(2)) AS slept")
    const sleeping = "SELECT count() FROM system.processes WHERE query LIKE '%sleepEach' || 'Row%'"
    await expect.poll(async () => Number(await text(sleeping))).toBe(1)
    await run("quick", "SELECT 1")
    await slow
    expect(order).toStrictEqual(["quick", "slow"])
  })

  test("after its client has disconnected, since it has ended", async () => {
    const controller = new AbortController()
    const query = client.query({ query: ENDLESS, abort_signal: controller.signal })
    await expect.poll(running, { timeout: 4_000 }).toBe(1)
    controller.abort()
    await expect(query).rejects.toThrow(/abort/)
    await expect.poll(running, { timeout: 4_000 }).toBe(0)
  })
})

describe("a request", () => {
  test.each([
    ["no token", { "X-ClickHouse-Key": "" }],
    ["another token", { "X-ClickHouse-Key": `${TOKEN}x` }],
    ["the beginning of the token", { "X-ClickHouse-Key": TOKEN.slice(0, -1) }],
    ["a malformed Authorization", { "X-ClickHouse-Key": "", Authorization: "Basic !!!" }],
  ])("with %s gets no other information", async (_name, headers) => {
    for (const path of ["/ping", "/", "/?query=SELECT%20version()", "/nowhere", "/?bad_setting=1"]) {
      const answer = await post(path, { headers, body: "SELECT 42" })
      expect(answer.status).toBe(403)
      expect(answer.headers.get("x-clickhouse-exception-code")).toBe("516")
      expect(await answer.text()).toBe("Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)\n")
    }
  })

  test("without a token is refused before its body is read", async () => {
    const socket = connect(port(), "127.0.0.1")
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
    const pieces = await socket.toArray()
    expect(Buffer.concat(pieces).toString()).toMatch(/^HTTP\/1.1 403/)
  })

  test("with the right token is accepted in either header", async () => {
    expect(await (await post("/ping")).text()).toBe("Ok.\n")
    const basic = `Basic ${Buffer.from(`default:${TOKEN}`).toString("base64")}`
    expect((await post("/ping", { headers: { "X-ClickHouse-Key": "", Authorization: basic } })).status).toBe(403)
    const answer = await fetch(`http://127.0.0.1:${port()}/ping`, { headers: { Authorization: basic } })
    expect(answer.status).toBe(200)
  })
})

function form(fields: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe("a request is refused with ClickHouse's error codes for", () => {
  test.each<[string, string, RequestInit, number, string]>([
    ["binary rows without a place", "/?query=INSERT%20INTO%20t%20FORMAT%20Native", { body: Buffer.of(255) }, 400, "36"],
    ["a setting in the URL", "/?max_threads=1", { body: "SELECT 1" }, 400, "115"],
    ["a session", "/?session_id=1", { body: "SELECT 1" }, 400, "115"],
    ["another database", "/?database=other", { body: "SELECT 1" }, 400, "115"],
    ["a parameter that is not an identifier", "/?param_a%27b=1", { body: "SELECT 1" }, 400, "36"],
    ["no statement", "/", { body: " " }, 400, "62"],
    ["another path", "/play", { body: "SELECT 1" }, 404, "364"],
    ["another method", "/", { method: "PUT", body: "SELECT 1" }, 405, "364"],
    ["another encoding", "/", { headers: { "Content-Encoding": "br" }, body: "SELECT 1" }, 415, "89"],
    ["a malformed form", "/", { headers: { "Content-Type": "multipart/form-data; boundary=b" }, body: "x" }, 400, "36"],
    ["a form with a table", "/", { body: form({ query: "SELECT * FROM rows", rows: "1" }) }, 400, "48"],
    [
      "a form with a parameter that is not an identifier",
      "/",
      { body: form({ query: "SELECT 1", "param_a'b": "1" }) },
      400,
      "36",
    ],
    ["a body that does not inflate", "/", { headers: { "Content-Encoding": "gzip" }, body: "SELECT 1" }, 400, "354"],
  ])("%s", async (_name, path, init, status, code) => {
    const answer = await post(path, init)
    expect([answer.status, answer.headers.get("x-clickhouse-exception-code")]).toStrictEqual([status, code])
  })

  test("a body that inflates past the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024))
    const answer = await post("/", { headers: { "Content-Encoding": "gzip" }, body: bomb })
    expect([answer.status, answer.headers.get("x-clickhouse-exception-code")]).toStrictEqual([413, "307"])
  })
})

test("the process listens on loopback only", async () => {
  const { networkInterfaces } = await import("node:os")
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
  for (const { address } of others)
    await expect(fetch(`http://${address}:${port()}/ping`)).rejects.toThrow("fetch failed")
})
