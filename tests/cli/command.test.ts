import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { pagespan, startCommand } from "./command-process.ts"

const PROGRAM = ["node", "tests/cli/reporting-program.mjs"]

describe("with a running inspector", () => {
  let app: RunningApp
  let port: string
  let here: string[]

  beforeAll(async () => {
    app = await RunningApp.start({ PAGESPAN_SELF: "off" })
    port = new URL(app.url).port
    here = ["--url", app.url]
  })

  afterAll(async () => void (await app?.stop()))

  test("run starts a program that reports to the inspector, and exits with its code", async () => {
    const { code, output, errors } = await pagespan(["run", "--name", "first", "--", ...PROGRAM, "7"], { PORT: port })
    expect(code).toBe(7)
    expect(output.trim()).toBe("reported as pagespan.run=first")
    expect(errors).toContain(`${app.url}/traces?q=run%3Afirst`)
    const assertFailed = (...options: string[]) =>
      pagespan(["assert", "run:first route:/cart status:error", ...options, ...here])
    expect(await assertFailed("--count", ">=1", "--within", "30s")).toMatchObject({ code: 0, errors: "" })
    // Once the trace is there, an exact count waits to see that no other follows.
    expect(await assertFailed("--count", "1", "--within", "1s")).toMatchObject({ code: 0, errors: "" })
  })

  test("run keeps variables that are set, reports a program that it cannot find, and forwards signals", async () => {
    const inherited = await pagespan(["run", "--", "node", "-p", "process.env.OTEL_EXPORTER_OTLP_ENDPOINT"], {
      PORT: port,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test:4318",
    })
    expect(inherited.output.trim()).toBe("http://collector.test:4318")
    const missing = await pagespan(["run", "--", "no-such-program"], { PORT: port })
    expect(missing.code).toBe(127)
    expect(missing.errors).toContain("no-such-program cannot be run (ENOENT)")
    const waiting = `process.on("SIGTERM", () => process.exit(42)); console.log("up"); setInterval(() => {}, 1000)`
    const command = startCommand(["run", "--", "node", "-e", waiting], { PORT: port })
    await waitFor("the program", () => command.output.includes("up"))
    command.child.kill("SIGTERM")
    expect((await command.ended).code).toBe(42)
  })

  test("tail prints spans, errors and drops as they arrive, as text and as JSON", async () => {
    const people = startCommand(["tail", ...here])
    const machine = startCommand(["tail", "run:tailed", "--json", ...here])
    const other = startCommand(["tail", "run:another", "--only", "span", ...here])
    // They print nothing before the first record, so that the loop reports a trace again until all of them listen.
    await waitFor(
      "a span, an error and a drop in both outputs",
      async () => {
        await pagespan(["run", "--name", "tailed", "--", ...PROGRAM], { PORT: port })
        await fetch(`${app.url}/v1/traces`, {
          method: "POST",
          body: "{",
          headers: { "content-type": "application/json" },
        })
        const kinds = ["span", "error", "drop"]
        return (
          kinds.every((kind) => people.output.includes(` ${kind} `)) &&
          kinds.every((kind) => machine.output.includes(`"type":"${kind}"`))
        )
      },
      60_000,
    )
    expect(people.output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}span .* GET \/cart {2}[0-9a-f]{32}$/m)
    expect(people.output).toMatch(/span .*SELECT items {2}failed: no such item/)
    expect(people.output).toMatch(/error .*TypeError: no such item/)
    const records = machine.output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(new Set(records.map(({ type }) => type))).toEqual(new Set(["span", "error", "drop"]))
    const span = records.find(({ type }) => type === "span") as {
      resourceSpans: { scopeSpans: { spans: object[] }[] }[]
    }
    expect(span.resourceSpans[0]!.scopeSpans[0]!.spans).toHaveLength(1)
    expect(other.output).toBe("")
  })

  test("tail --logs prints the logs that arrive and match, as text without colour codes and as JSON", async () => {
    const people = startCommand(["tail", "--logs", "tailed-line", ...here])
    const machine = startCommand(["tail", "--logs", "severity>=warn", "--json", ...here])
    const record = (body: string, severityNumber: number) => ({
      timeUnixNano: `${Date.now()}000000`,
      severityNumber,
      body: { stringValue: body },
    })
    let sent = 0
    // They print nothing before the first log, so that the loop sends again until both listen.
    await waitFor("a line in both outputs", async () => {
      const logRecords = [record(`\u001b[31mtailed-line\u001b[0m ${++sent}`, 13), record(`other ${sent}`, 9)]
      await fetch(`${app.url}/v1/logs`, {
        method: "POST",
        body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
        headers: { "content-type": "application/json" },
      })
      return people.output.includes("tailed-line") && machine.output.includes("tailed-line")
    })
    expect(people.output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}log {4}warn {3}unknown_service {2}tailed-line \d+$/m)
    expect(people.output).not.toContain("other")
    expect(JSON.parse(machine.output.split("\n")[0]!)).toMatchObject({ type: "log", severityNumber: 13, traceId: null })
  })

  test("assert counts more traces than a list has", async () => {
    const time = `${BigInt(Date.now()) * 1_000_000n}`
    const spans = Array.from({ length: 1_100 }, (_, index) => ({
      traceId: (index + 1).toString(16).padStart(32, "0"),
      spanId: "1".repeat(16),
      name: "one of many",
      startTimeUnixNano: time,
      endTimeUnixNano: time,
    }))
    await fetch(`${app.url}/v1/traces`, {
      method: "POST",
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
      headers: { "content-type": "application/json" },
    })
    const counts = async (count: string) =>
      (await pagespan(["assert", 'name:"one of many"', "--count", count, ...here])).code
    expect(await counts(">=1100")).toBe(0)
    expect(await counts("1050..1100")).toBe(0)
  })

  test("assert --own hide leaves out Pagespan's own traces, also with a filter of as many terms as one may have", async () => {
    const time = String(BigInt(Date.now()) * 1_000_000n)
    const of = (service: string, index: number) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: String(index + 1).padStart(32, "a"),
              spanId: String(index + 1).padStart(16, "a"),
              name: "whose",
              startTimeUnixNano: time,
              endTimeUnixNano: time,
            },
          ],
        },
      ],
    })
    await fetch(`${app.url}/v1/traces`, {
      method: "POST",
      body: JSON.stringify({ resourceSpans: ["web", "pagespan"].map(of) }),
      headers: { "content-type": "application/json" },
    })
    const filter = ["name=whose", ...Array.from({ length: 59 }, (_, term) => `-name:other${term}`)].join(" ")
    const check = (...options: string[]) => pagespan(["assert", filter, ...options, ...here])
    expect((await check("--count", "2..2")).code).toBe(0)
    expect((await check("--own", "show", "--count", "2", "--within", "0s")).code).toBe(0)
    const bounds = ["--max-failed", "0%", "--count", "1", "--within", "0s"]
    expect(await check("--own", "hide", ...bounds)).toMatchObject({ code: 0, errors: "" })
    expect((await check("--own", "hide", "--logs")).code).toBe(2)
    expect((await check("--own", "hide", "--budgets")).code).toBe(2)
  })

  test("import restores the spans that export wrote and clear deleted", async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, "traces.jsonl")
    await pagespan(["run", "--name", "retained", "--", ...PROGRAM], { PORT: port })
    await pagespan(["assert", "run:retained", ...here])
    expect(await pagespan(["export", "run:retained", "-o", file, ...here])).toMatchObject({
      code: 0,
      errors: "1 trace\n",
    })
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600")
    const exported = readFileSync(file, "utf8")
    const traceId = /"traceId":"([0-9a-f]{32})"/.exec(exported)?.[1] ?? ""

    expect((await pagespan(["clear", ...here])).code).toBe(2)
    expect(await pagespan(["clear", "--yes", ...here])).toMatchObject({ code: 0 })
    expect((await pagespan(["assert", "", "--count", "0", "--within", "0s", ...here])).code).toBe(0)
    expect((await pagespan(["export", traceId, ...here])).code).toBe(4)

    expect(await pagespan(["import", file, ...here])).toMatchObject({ code: 0, errors: "1 request ingested\n" })
    await pagespan(["assert", `trace:${traceId}`, ...here])
    const again = await pagespan(["export", traceId, ...here])
    expect(JSON.parse(again.output)).toEqual(JSON.parse(exported))

    const pretty = join(directory, "pretty.json")
    writeFileSync(pretty, JSON.stringify(JSON.parse(exported), undefined, 2))
    expect(await pagespan(["import", pretty, ...here])).toMatchObject({ code: 0 })
    writeFileSync(pretty, "not a trace")
    expect(await pagespan(["import", pretty, ...here])).toMatchObject({ code: 2 })
    expect((await pagespan(["import", join(directory, "none"), ...here])).errors).toContain("cannot be read (ENOENT)")
  })

  test("open prints the address of a known trace", async () => {
    await pagespan(["run", "--name", "opened", "--", ...PROGRAM], { PORT: port })
    await pagespan(["assert", "run:opened", ...here])
    const { output } = await pagespan(["export", "run:opened", ...here])
    const traceId = /"traceId":"([0-9a-f]{32})"/.exec(output)?.[1] ?? ""
    expect(await pagespan(["open", traceId, ...here])).toMatchObject({
      code: 0,
      output: `${app.url}/traces/${traceId}\n`,
    })
    expect((await pagespan(["open", "0".repeat(31) + "1", ...here])).code).toBe(4)
    expect((await pagespan(["open", "zz", ...here])).code).toBe(2)
  })

  test("assert waits for traces that may still arrive, and shows what it found when it does not hold", async () => {
    const early = pagespan(["assert", "run:later", "--within", "60s", ...here])
    await pagespan(["run", "--name", "later", "--", ...PROGRAM], { PORT: port })
    expect((await early).code).toBe(0)
    const slow = await pagespan(["assert", "run:later", "--max-duration", "1us", ...here])
    expect(slow.code).toBe(1)
    expect(slow.errors).toMatch(/1 took longer than 1 µs\n {2}[0-9a-f]{32} /)
    const many = await pagespan(["assert", "run:later", "--count", "0", "--within", "0s", ...here])
    expect(many).toMatchObject({ code: 1 })
    expect(many.errors).toContain("found 1, expected 0")
  })

  test("assert checks the 95th percentile and the failed share of the traces, and counts logs", async () => {
    await pagespan(["run", "--name", "measured", "--", ...PROGRAM], { PORT: port })
    await pagespan(["assert", "run:measured", ...here])
    const check = (...options: string[]) => pagespan(["assert", "run:measured", "--within", "0s", ...options, ...here])
    expect((await check("--max-p95", "10m", "--max-failed", "100%")).code).toBe(0)
    expect((await check("--max-failed", "99.5%")).errors).toContain("100 % failed, expected at most 99.5 %")
    expect((await check("--max-p95", "1us")).errors).toMatch(
      /their 95th percentile is .*, expected at most 1 µs\n {2}[0-9a-f]{32} /,
    )
    expect((await check("--max-failed", "half")).code).toBe(2)
    const logs = await pagespan(["assert", "no-such-line", "--logs", "--within", "0s", ...here])
    expect(logs).toMatchObject({ code: 1 })
    expect(logs.errors).toContain("Logs that match no-such-line: found 0 within 0s, expected >=1")
    expect(
      (await pagespan(["assert", "no-such-line", "--logs", "--count", "0", "--within", "0s", ...here])).output,
    ).toBe("ok: 0 logs match no-such-line\n")
    expect((await pagespan(["assert", "x", "--logs", "--max-p95", "1s", ...here])).code).toBe(2)
  })

  test("a second inspector in the same data directory does not start, and names the directory", async () => {
    const environment = { PAGESPAN_DATA: app.dataDirectory, PAGESPAN_GRPC: "off", PAGESPAN_SPOTLIGHT: "off" }
    const { code, output, errors } = await pagespan(["--no-open", "--port", "0"], environment)
    expect({ code, output }).toEqual({ code: 1, output: "" })
    expect(errors).toBe(
      `PAGESPAN_DATA is "${app.dataDirectory}", which another Pagespan uses (process ${app.pid}): open that one, or set PAGESPAN_DATA to another directory\n`,
    )
  })

  test("the inspector refuses a deletion by a page of another origin", async () => {
    const answer = await fetch(`${app.url}/api/traces`, { method: "DELETE", headers: { origin: "http://evil.test" } })
    expect(answer.status).toBe(403)
  })

  test("a second start on the same port shows the running inspector", async () => {
    const { code, output } = await pagespan(["--no-open"], { PORT: port })
    expect({ code, output }).toEqual({ code: 0, output: `Pagespan is already on ${app.url}\n` })
  })
})

test("an inspector that traces itself does not trace the requests of tail", async () => {
  const app = await RunningApp.start()
  onTestFinished(async () => void (await app.stop()))
  const command = startCommand(["tail", "--url", app.url])
  // Each poll of tail sends two requests. A screen is requested until its spans are printed, after several polls.
  await waitFor("the spans of a screen", async () => {
    await fetch(`${app.url}/connect`)
    return command.output.split("\n").filter((line) => line.includes("/connect")).length > 5
  })
  expect(command.output).not.toContain("/api/")
})
