import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { createParser } from "#otel/cli/parser.ts"
import { SentryUploader } from "#otel/cli/source-maps/sentry-upload.ts"
import { freePort } from "#tests/support/free-port.ts"
import { pythonWithSentry } from "#tests/support/interpreters.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { builtApp, SCRIPTS } from "./built-app.ts"
import { RecordingUploads } from "./recording-uploads.ts"

const TOKEN = "sntryu_0123456789abcdef0123456789abcdef"
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Sentry reads bundles with Python's `zipfile`. */
const READ_ARCHIVE = `import io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
print(json.dumps({"damaged": archive.testzip(), "files": {name: archive.read(name).decode() for name in archive.namelist()}}))`

async function startUploads(): Promise<RecordingUploads> {
  const sentry = await new RecordingUploads().listen()
  onTestFinished(() => sentry.close())
  return sentry
}

/** Runs `pagespan sourcemaps` in this process. */
async function sourcemaps(directory: string, variables: Record<string, string>, ...words: readonly string[]) {
  const lines: string[] = []
  for (const stream of ["log", "error"] as const) {
    const print = vi.spyOn(console, stream).mockImplementation((line: string) => void lines.push(line))
    onTestFinished(() => void print.mockRestore())
  }
  for (const name of Object.keys(process.env).filter((each) => each.startsWith("SENTRY_"))) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const error = await createParser(["sourcemaps", directory, ...words])
    .parseAsync()
    .then(
      () => undefined,
      (thrown: Error & { code?: unknown }) => thrown,
    )
  return { output: lines.join("\n"), error: error?.message, code: error?.code }
}

const variablesFor = (sentry: RecordingUploads) => ({
  SENTRY_URL: sentry.url,
  SENTRY_AUTH_TOKEN: TOKEN,
  SENTRY_ORG: "acme",
  SENTRY_PROJECT: "shop",
})

/** All files below a directory with their text. */
function filesIn(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, "utf8")]))
}

interface Manifest {
  readonly files: Readonly<
    Record<string, { readonly type: string; readonly url: string; readonly headers: Record<string, string> }>
  >
  readonly [key: string]: unknown
}

describe("pagespan sourcemaps to Sentry", () => {
  test("creates the release, uploads the chunks that are missing, and has them assembled", async () => {
    const sentry = await startUploads()
    const { error, output } = await sourcemaps(await builtApp(), variablesFor(sentry))
    expect(error).toBeUndefined()
    expect(output).toContain("3 scripts with a source map, 3 got a debug id; 1 script without one")
    expect(output).toContain(`${sentry.url} has the source maps of acme/shop of release c0ffee: `)
    expect(sentry.requests.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true)
    expect(sentry.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/0/organizations/acme/releases/",
      "GET /api/0/organizations/acme/chunk-upload/",
      "POST /api/0/organizations/acme/artifactbundle/assemble/",
      ...Array.from(
        { length: Math.ceil(sentry.chunks.size / 2) },
        () => "POST /api/0/organizations/acme/chunk-upload/",
      ),
      "POST /api/0/organizations/acme/artifactbundle/assemble/",
    ])
    expect(sentry.sent("/releases/")).toEqual([{ version: "c0ffee", projects: ["shop"] }])
    const [first, second] = sentry.sent("/artifactbundle/assemble/")
    expect(second).toEqual(first)
    expect(first).toMatchObject({
      projects: ["shop"],
      version: "c0ffee",
      checksum: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(sentry.chunks.size).toBeGreaterThan(2)
  })

  test("sends an artifact bundle that Sentry's archive reader reads, with every script and its map", async () => {
    const sentry = await startUploads()
    const directory = await builtApp()
    await sourcemaps(directory, variablesFor(sentry), "--dist", "web")
    const bundle = sentry.bundle()
    expect(bundle.subarray(0, 8)).toEqual(Buffer.from("SYSB\u0002\0\0\0"))
    // Offsets count from the header: nothing is in front of the archive.
    expect(bundle.readUInt32LE(bundle.length - 6)).toBe(bundle.indexOf("PK\u0001\u0002"))
    const { stdout } = spawnSync(pythonWithSentry()!, ["-c", READ_ARCHIVE], { input: bundle })
    const { damaged, files } = JSON.parse(stdout.toString()) as { damaged: null; files: Record<string, string> }
    expect(damaged).toBeNull()
    const { files: named, ...owner } = JSON.parse(files["manifest.json"]!) as Manifest
    expect(owner).toEqual({
      debug_id: expect.stringMatching(UUID),
      org: "acme",
      project: "shop",
      release: "c0ffee",
      dist: "web",
    })
    const built = filesIn(join(directory, ".next"))
    for (const path of SCRIPTS) {
      const entry = `files/_/_/shop/_next/${path}`
      const debugId = /debugId=(\S+)/.exec(built[path]!)![1]!
      expect(files[entry]).toBe(built[path])
      expect(JSON.parse(files[`${entry}.map`]!)).toMatchObject({ version: 3, file: path, debugId, debug_id: debugId })
      const { type, url, headers } = named[entry]!
      expect({ type, url, headers }).toEqual({
        type: "minified_source",
        url: `~/shop/_next/${path}`,
        headers: { "debug-id": debugId, sourcemap: `${path.split("/").at(-1)}.map` },
      })
      expect(named[`${entry}.map`]).toEqual({
        type: "source_map",
        url: `~/shop/_next/${path}.map`,
        headers: { "debug-id": debugId },
      })
    }
    expect(Object.keys(named)).toHaveLength(2 * SCRIPTS.length)
    expect(built["standalone/apps/shop/.next/server/app/page.js"]).toBe(built["server/app/page.js"])
  })

  test("sends nothing again, and changes no file again", async () => {
    const sentry = await startUploads()
    const directory = await builtApp()
    await sourcemaps(directory, variablesFor(sentry))
    const before = filesIn(directory)
    sentry.requests.length = 0
    const { output } = await sourcemaps(directory, variablesFor(sentry))
    expect(output).toContain("it had them already")
    expect(sentry.requests.filter(({ contentType }) => contentType.startsWith("multipart/"))).toEqual([])
    expect(filesIn(directory)).toEqual(before)
  })

  test("deletes the maps that browsers could load, and no others, only after the upload and when asked", async () => {
    const sentry = await startUploads()
    const directory = await builtApp()
    const maps = () => Object.keys(filesIn(join(directory, ".next"))).filter((path) => path.endsWith(".map"))
    sentry.failures.push(400)
    expect((await sourcemaps(directory, variablesFor(sentry), "--delete-after-upload")).code).toBe(4)
    expect(maps()).toHaveLength(4)
    expect((await sourcemaps(directory, variablesFor(sentry), "--delete-after-upload")).error).toBeUndefined()
    expect(maps().every((path) => path.startsWith("server/"))).toBe(true)
    expect(maps()).toHaveLength(2)
  })

  test("with --dry-run needs no token, prints what it would upload, and changes and sends nothing", async () => {
    const directory = await builtApp()
    const before = filesIn(directory)
    const { error, output } = await sourcemaps(directory, {}, "--to", "sentry", "--dry-run")
    expect(error).toBeUndefined()
    for (const path of SCRIPTS) expect(output).toContain(`  /shop/_next/${path}`)
    expect(output).toContain("3 would get a debug id")
    expect(filesIn(directory)).toEqual(before)
  })

  test("survives a Sentry that fails for the moment", async () => {
    const sentry = await startUploads()
    sentry.failures.push(503, 429)
    expect((await sourcemaps(await builtApp(), variablesFor(sentry))).error).toBeUndefined()
  })

  test.each([429, 503])("waits as long as Retry-After of a %i asks for", async (status) => {
    const sentry = await startUploads()
    sentry.failures.push(status, status)
    sentry.retryAfter = "40"
    const waits: number[] = []
    const account = { url: sentry.url, authToken: TOKEN, organization: "acme", projects: ["shop"] }
    await new SentryUploader(account, async (milliseconds) => void waits.push(milliseconds)).createRelease("1")
    expect(waits).toEqual([40_000, 40_000])
  })

  test("fails at once where Retry-After asks for more than a minute, and names the time", async () => {
    const sentry = await startUploads()
    sentry.failures.push(429)
    sentry.retryAfter = "61"
    const { error, code } = await sourcemaps(await builtApp(), variablesFor(sentry))
    expect(error).toBe(`${sentry.url} answered 429 and asks to wait 61 s: no`)
    expect(code).toBe(4)
    expect(sentry.requests).toHaveLength(1)
  })

  test("takes organization and address from a token of an organization, and settings from the file that Sentry's wizard writes", async () => {
    const sentry = await startUploads()
    const directory = await builtApp()
    const claims = Buffer.from(JSON.stringify({ org: "acme", url: sentry.url })).toString("base64")
    writeFileSync(join(directory, ".env.sentry-build-plugin"), `SENTRY_AUTH_TOKEN=sntrys_${claims}_secret\n`)
    const { error } = await sourcemaps(directory, {}, "--project", "shop", "--release", "2.0")
    expect(error).toBeUndefined()
    expect(sentry.sent("/releases/")).toEqual([{ version: "2.0", projects: ["shop"] }])
  })

  test("leaves scripts of pages alone whose hashes the pages check", async () => {
    const sentry = await startUploads()
    const directory = await builtApp({ files: { "server/subresource-integrity-manifest.json": "{}" } })
    const before = filesIn(directory)[".next/static/chunks/a1.js"]
    const { output } = await sourcemaps(directory, variablesFor(sentry))
    expect(output).toContain(
      "static/chunks/a1.js has no debug id, and experimental.sri fixes its content: it is left out",
    )
    expect(filesIn(directory)[".next/static/chunks/a1.js"]).toBe(before)
  })
})

describe("what is wrong is named, with the fix, and never with the token", () => {
  test.each([
    [401, "does not know the token (401: no): check SENTRY_AUTH_TOKEN"],
    [403, "refuses the token (403: no): it needs the scope org:ci"],
    [404, "does not know acme or shop (404: no): check SENTRY_ORG and SENTRY_PROJECT"],
    [413, "answered 413: no"],
  ])("a status of %i", async (status, message) => {
    const sentry = await startUploads()
    sentry.failures.push(status)
    const { error, output, code } = await sourcemaps(await builtApp(), variablesFor(sentry))
    expect(error).toContain(message)
    expect(code).toBe(4)
    expect(`${error}${output}`).not.toContain(TOKEN)
  })

  test("a Sentry that does not answer", async () => {
    const variables = { SENTRY_URL: `http://127.0.0.1:${await freePort()}`, SENTRY_AUTH_TOKEN: TOKEN }
    const { error, code } = await sourcemaps(await builtApp(), variables, "--org", "acme", "--project", "shop")
    expect(error).toMatch(/does not answer: check SENTRY_URL/)
    expect(code).toBe(3)
    expect(error).not.toContain(TOKEN)
  })

  test("one that is too old, one whose limit is too low, and another program", async () => {
    const sentry = await startUploads()
    const directory = await builtApp()
    const run = () => sourcemaps(directory, variablesFor(sentry))
    sentry.options.maxFileSize = 100
    expect((await run()).error).toMatch(/^The bundle has \d+ bytes, and .* accepts 100$/)
    sentry.options.accept = ["debug_files"]
    expect((await run()).error).toContain(
      "accepts no artifact bundles: it is a self-hosted Sentry before version 22.12",
    )
    sentry.options.hashAlgorithm = "md5"
    expect((await run()).error).toContain("does not answer like Sentry: check SENTRY_URL")
  })

  test.each([
    [{}, "SENTRY_AUTH_TOKEN is not set"],
    [{ SENTRY_AUTH_TOKEN: "a b" }, "SENTRY_AUTH_TOKEN has characters that no token has"],
    [{ SENTRY_AUTH_TOKEN: TOKEN }, "The organization is not known: set SENTRY_ORG, or --org"],
    [{ SENTRY_AUTH_TOKEN: TOKEN, SENTRY_ORG: "acme" }, "The project is not known: set SENTRY_PROJECT, or --project"],
    [
      { SENTRY_AUTH_TOKEN: TOKEN, SENTRY_ORG: "acme", SENTRY_PROJECT: "shop", SENTRY_URL: "sentry.test" },
      'SENTRY_URL is "sentry.test", which is not a URL',
    ],
  ])("the settings %j, before a file is changed", async (variables, message) => {
    const directory = await builtApp()
    const before = filesIn(directory)
    const { error, code } = await sourcemaps(directory, variables, "--to", "sentry")
    expect(error).toContain(message)
    expect(code).toBe(2)
    expect(filesIn(directory)).toEqual(before)
  })

  test("no build, and a build without maps", async () => {
    expect((await sourcemaps(await temporaryDirectory(), {})).error).toContain("has no build: run next build first")
    const directory = await temporaryDirectory()
    writeFileSync(join(directory, "required-server-files.json"), "{}")
    const { error, code } = await sourcemaps(directory, {})
    expect(error).toContain("This build has no source maps: set sourceMaps: true in the options of withPagespan")
    expect(code).toBe(1)
  })
})
