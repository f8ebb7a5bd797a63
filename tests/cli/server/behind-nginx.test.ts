import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { credentials, Metadata } from "@grpc/grpc-js"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc"
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openScreen } from "#tests/app/screens/session/open-screen.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { endProcess } from "#tests/support/end-process.ts"
import { freePort } from "#tests/support/free-port.ts"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { otlpSpan } from "./launch-inspector.ts"

/** The inspector behind nginx, with the configuration of `docs/deploy` at other ports. */

const TOKEN = "correcthorsebatterystaple"
const HOST = "pagespan.example"
/** Three times nginx's default limit. */
const LARGE = "x".repeat(3 * 1024 * 1024)

let directory: string
let app: RunningApp
let nginx: ChildProcess
let browser: Browser
let context: BrowserContext
let port: number
/** Of a site with nginx's defaults. */
let plainPort: number

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pagespan-nginx-"))
  port = await freePort()
  plainPort = await freePort()
  const grpcPort = await freePort()
  app = await RunningApp.start({
    PAGESPAN_TOKEN: TOKEN,
    PAGESPAN_ALLOWED_HOSTS: HOST,
    PAGESPAN_GRPC: String(grpcPort),
    PAGESPAN_SELF: "off",
  })
  makeCertificate()
  const site = documentedSite({
    "listen 443": `listen 127.0.0.1:${port}`,
    "/etc/nginx/tls": directory,
    "127.0.0.1:4318": `127.0.0.1:${new URL(app.url).port}`,
    "127.0.0.1:4317": `127.0.0.1:${grpcPort}`,
  })
  nginx = startNginx(`${site}\n${plainSite()}`)
  browser = await launchChromium(`--host-resolver-rules=MAP ${HOST} 127.0.0.1`)
  context = await browser.newContext({ ignoreHTTPSErrors: true })
  await waitFor("nginx", () => context.request.get(`https://127.0.0.1:${port}/health`).then(Boolean, () => false))
})

afterAll(async () => {
  await browser?.close()
  if (nginx !== undefined) await endProcess(nginx)
  await app?.stop()
  await removeDirectory(directory)
})

function makeCertificate(): void {
  const files = ["-keyout", join(directory, "pagespan.key"), "-out", join(directory, "pagespan.crt")]
  const names = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST},IP:127.0.0.1`]
  const key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"]
  execFileSync("openssl", ["req", "-x509", ...key, ...names, ...files], { stdio: "ignore" })
}

/** The configuration of the documentation with other places. */
function documentedSite(places: Readonly<Record<string, string>>): string {
  let site = readFileSync("docs/deploy/nginx.conf", "utf8")
  for (const [documented, place] of Object.entries(places)) {
    expect(site).toContain(documented)
    site = site.replaceAll(documented, place)
  }
  return site
}

/** By default nginx asks for responses without chunks, and so cannot know where an event ends. */
function plainSite(): string {
  return `server {
    listen 127.0.0.1:${plainPort};
    gzip on;
    gzip_proxied any;
    gzip_types *;
    location / {
      proxy_pass ${app.url.replace("localhost", "127.0.0.1")};
      proxy_set_header Host $http_host;
    }
  }`
}

function startNginx(site: string): ChildProcess {
  const modules = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const paths = modules.map((name) => `${name}_temp_path ${join(directory, name)};`).join("\n")
  // Else its workers of another user could not write to the directory.
  const user = process.getuid?.() === 0 ? "user root;\n" : ""
  const head = `${user}daemon off;\npid ${join(directory, "pid")};\nevents {}\n`
  const file = join(directory, "nginx.conf")
  writeFileSync(file, `${head}http {\naccess_log off;\n${paths}\n${site}\n}\n`)
  return spawn("nginx", ["-c", file, "-p", directory, "-e", "stderr"], { stdio: ["ignore", "ignore", "inherit"] })
}

async function sendOverHttp(span: object): Promise<number> {
  const response = await context.request.post(`https://127.0.0.1:${port}/v1/traces`, {
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    data: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
  return response.status()
}

test.each([
  ["the documented configuration", () => `https://${HOST}:${port}`, [1, 2, 3]],
  ["nginx's defaults, and compression of every type", () => `http://${HOST}:${plainPort}`, [4, 5, 6]],
])("with %s a browser signs in, and an open screen shows each trace as it arrives", async (_name, originOf, spans) => {
  const origin = originOf()
  const page = await context.newPage()
  await page.goto(`${origin}/traces`)
  await page.fill("#token", TOKEN)
  await page.click("button")
  await page.waitForURL(`${origin}/traces`)
  const [session] = await context.cookies(origin)
  expect(session).toMatchObject({ secure: origin.startsWith("https:"), httpOnly: true, sameSite: "Strict" })
  // Waits for the live connection.
  await openScreen(page, `${origin}/traces`)
  for (const index of spans) {
    expect(await sendOverHttp(otlpSpan(index))).toBe(200)
    await page.getByText(`span ${index}`, { exact: true }).waitFor()
  }
  await page.close()
  await context.clearCookies()
})

test("spans that are larger than nginx's own limit arrive over HTTP, and spans over gRPC", async () => {
  const attributes = [{ key: "note", value: { stringValue: LARGE } }]
  expect(await sendOverHttp({ ...otlpSpan(9), attributes })).toBe(200)
  const metadata = new Metadata()
  metadata.set("authorization", `Bearer ${TOKEN}`)
  const exporter = new OTLPTraceExporter({
    url: `https://127.0.0.1:${port}`,
    credentials: credentials.createSsl(readFileSync(join(directory, "pagespan.crt"))),
    metadata,
  })
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.getTracer("test").startSpan("over gRPC").end()
  await provider.shutdown()
  const names = async () => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const { traces } = (await (await fetch(`${app.url}/api/traces`, { headers })).json()) as {
      traces: { name: string }[]
    }
    return traces.map(({ name }) => name)
  }
  await expect.poll(names).toEqual(expect.arrayContaining(["span 9", "over gRPC"]))
})
