import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { pagespan } from "./command-process.ts"

/** The commands where no inspector answers. */

test.each([
  [["assert", "route:/"], 3, "No inspector answers at http://localhost:9: start one with pagespan"],
  [["tail"], 3, "No inspector answers"],
  [["tail", "--logs", "duration>5ms"], 2, "Logs have no duration: "],
  [["tail", "--logs", "--only", "span"], 2, "Arguments logs and only are mutually exclusive"],
  [["tail", "rout:"], 2, "rout: needs a value\n  rout:\n  ^^^^^"],
  [["assert", "route:/", "--count", "some"], 2, '--count is "some": expected a count like'],
  [["assert", "route:/", "--within", "10"], 2, '--within is "10": expected a duration with a unit'],
  [["asert", "route:/"], 2, "Unknown arguments: asert, route:/"],
  [["tail", "--jsn"], 2, "Unknown argument: jsn"],
  [["open"], 2, "Not enough non-option arguments"],
  [["run"], 2, "run needs a command, like: pagespan run -- npm run dev"],
  [["record"], 2, "record needs a command, like: pagespan record -- npm test"],
  [["record", "--name", "fix,cart", "--", "true"], 2, '--name is "fix,cart": a run\'s name has 1 to 100 letters'],
  [["run", "--name", "a b", "--", "true"], 2, '--name is "a b": a run\'s name has 1 to 100 letters'],
  [["assert", "--budgets", "--repeat", "5x", "--", "true"], 2, "--repeat is not a whole number from 1"],
  [["assert", "--budgets", "--repeat", "0", "--", "true"], 2, "--repeat is not a whole number from 1"],
  [["export", "status:error", "-o", "/no/such/folder/a"], 2, "/no/such/folder/a cannot be written (ENOENT)"],
  [["assert", "route:/", "--since", "yesterday"], 2, '--since is "yesterday", which is not an age like 15m'],
  [["assert", "route:/", "--budgets", "--since", "5"], 2, '--since is "5", which is not an age like 15m'],
  [
    ["assert", "route:/", "--repeat", "5", "--", "false"],
    2,
    "--repeat, --strict and a program behind -- need --budgets",
  ],
  [["assert", "route:/", "--strict"], 2, "need --budgets"],
  [["assert", "--count", "0", "--budgets"], 2, "do not apply to --budgets"],
  [["assert", "--budgets", "route:/cart"], 2, "route:/cart cannot be read (ENOENT): --budgets takes a budget file"],
  [["assert", "--max-p95", "1ms", "--budgets"], 2, "do not apply to --budgets"],
  [["record", "-o", "/no/such/folder/a.gz", "--", "node", "-e", ""], 2, "a.gz cannot be written (ENOENT)"],
])("%j ends with %i", async (words, code, message) => {
  const ended = await pagespan(words, { PORT: "9" })
  expect(ended.errors).toContain(message)
  expect(ended.errors).not.toContain("    at ")
  expect(ended.code).toBe(code)
})

test.each([
  [{ PORT: "/tmp/x.sock" }, [], 2, 'PORT is "/tmp/x.sock": must be a port'],
  [{ PORT: "70000" }, [], 2, 'PORT is "70000": must be a port'],
  [{ PORT: "/tmp/x.sock" }, ["--url", "http://localhost:9"], 3, "No inspector answers at http://localhost:9"],
  [{ PORT: "9", PAGESPAN_TOKEN: "line\nline" }, [], 2, "PAGESPAN_TOKEN or --token has characters that no token has"],
])("a command names the variable that it cannot use: %j %j", async (environment, options, code, message) => {
  const ended = await pagespan(["last", ...options], environment)
  expect(ended.errors).toContain(message)
  expect(ended.errors).not.toContain("    at ")
  expect(ended.code).toBe(code)
})

test("run starts an inspector before the program, and stops it after the program", async () => {
  const directory = await temporaryDirectory()
  const probe = `fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + "/health").then((r) => r.json()).then((h) => console.log(Object.keys(h).sort().join()))`
  const environment = { PAGESPAN_DATA: directory, PAGESPAN_GRPC: "off", PAGESPAN_SPOTLIGHT: "off" }
  const { code, output } = await pagespan(["run", "--port", "0", "--", "node", "-e", probe], environment)
  expect({ code, output }).toEqual({ code: 0, output: "dropped,queue,status,uncaught\n" })
  const inherited = process.umask().toString(8)
  const own = await pagespan(["run", "--port", "0", "--", "node", "-p", "process.umask().toString(8)"], environment)
  expect(own.output, "the umask of the program").toBe(`${inherited}\n`)
})

test("run warns if the environment sends the program's spans elsewhere, and not if it names the inspector", async () => {
  const environment = { PAGESPAN_DATA: await temporaryDirectory(), PAGESPAN_GRPC: "off", PAGESPAN_SPOTLIGHT: "off" }
  const port = String(await freePort())
  const run = (variables: Record<string, string>) =>
    pagespan(["run", "--port", port, "--", "node", "-e", ""], { ...environment, ...variables })
  const elsewhere = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:hunter2@collector.test:4318" })
  expect(elsewhere.errors).toMatch(/^pagespan: OTEL_EXPORTER_OTLP_ENDPOINT is set already, .+ not to http:\/\/\S+: /m)
  expect(elsewhere.errors).not.toContain("hunter2")
  const here = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  expect(here.errors).not.toContain("is set already")
  expect([elsewhere.code, here.code]).toEqual([0, 0])
})

test("init shows its edits, writes them after confirmation, and finds nothing to change in a second run", async () => {
  const directory = await temporaryDirectory()
  expect(await pagespan(["init", directory])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("is not an App Router app"),
  })
  writeFileSync(join(directory, "package.json"), `{ "dependencies": { "pagespan": "0.1.0" } }`)
  mkdirSync(join(directory, "app"))
  const layout = join(directory, "app/layout.js")
  const before = "export default function Layout({ children }) {\n  return <body>{children}</body>\n}\n"
  writeFileSync(layout, before)
  const shown = await pagespan(["init", directory, "--dry-run"])
  expect(shown).toMatchObject({ code: 0, output: expect.stringContaining("+      <RouteObserver />") })
  expect(await pagespan(["init", directory])).toMatchObject({
    code: 2,
    output: shown.output,
    errors: "init changes files: confirm with --yes, or look at the edits with --dry-run\n",
  })
  expect(readFileSync(layout, "utf8")).toBe(before)
  expect(readdirSync(directory).sort()).toEqual(["app", "package.json"])
  const done = await pagespan(["init", directory, "--yes"])
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining(shown.output) })
  expect(readFileSync(layout, "utf8")).toContain("<RouteObserver />")
  expect(await pagespan(["init", directory, "--yes"])).toMatchObject({ code: 0, output: "Nothing to change\n" })
})

test("prints a completion script", async () => {
  const { code, errors, output } = await pagespan(["completion"], { SHELL: "/bin/bash" })
  expect({ code, errors }).toEqual({ code: 0, errors: "" })
  expect(output).toContain("complete -o bashdefault -o default -F _pagespan_yargs_completions pagespan")
  const words = await pagespan(["--get-yargs-completions", "pagespan", "ex"])
  expect(words.output.split("\n")).toContain("export")
})

test.each([
  ["HTML", 200, "<!doctype html><title>Another program</title>"],
  ["an error that is no JSON", 404, "Not found"],
])("a command against a program that answers %s reports that it is no inspector", async (_, status, body) => {
  const other = await new RecordingServer().listen()
  onTestFinished(() => other.close())
  other.answer = { status, body, headers: { "content-type": "text/html" } }
  for (const words of [["tail"], ["assert", "route:/"], ["export", "status:error"]]) {
    const { code, errors } = await pagespan([...words, "--url", `http://127.0.0.1:${other.port}`])
    expect(errors).toMatch(
      /^The program at http:\S+ does not answer like an inspector \(.*\): start one with pagespan, or set --url to another address\n$/,
    )
    expect(code).toBe(3)
  }
})

test("another program at the address of the inspector is no failed budget", async () => {
  const other = await new RecordingServer().listen()
  onTestFinished(() => other.close())
  const directory = await temporaryDirectory()
  const file = join(directory, "budgets.json")
  writeFileSync(file, JSON.stringify({ routes: { "*": { duration: { max: "1s" } } } }))
  for (const body of ["<!doctype html>", "{}", "null"]) {
    other.answer = { status: 200, body }
    const { code, errors } = await pagespan(["assert", "--budgets", file, "--url", `http://127.0.0.1:${other.port}`])
    expect([code, errors]).toEqual([3, expect.stringContaining("does not answer like an inspector")])
  }
})
