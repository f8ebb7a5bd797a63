import { chmodSync, cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { ForeignApp } from "#tests/package/foreign-app.ts"
import { freePort } from "#tests/support/free-port.ts"
import { canMount, spawnOnReadOnlyRoot } from "#tests/package/read-only-root.ts"
import type { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { type Bundler, bundlerArguments } from "../bundlers.ts"
import { type LocalServer, serveFiles, startBalancer } from "./local-servers.ts"
import type { DeployedVisit } from "./visit-deployed.ts"

type Variables = Readonly<Record<string, string>>

/** A way to deploy the app `deployed`. */
export interface Deployment {
  readonly name: string
  /** The build that it needs: the app's `next.config.ts` reads its name. */
  readonly form: "server" | "standalone" | "export" | "export+tunnel"
  /** Why it cannot run here, if so. */
  obstacle?(): string | undefined
  start(app: ForeignApp, environment: Variables): Promise<Running>
}

export interface Running extends DeployedVisit {
  stop(): Promise<void>
}

/** What a container runs as: a user and a group without a name, who own nothing. */
const STRANGER = "10001:10001"
const BASE_PATH = "/shop"
const production = { NODE_ENV: "production" }

/**
 * What builds and servers of an app share: where envelopes and OTLP go, and where an exported app finds its tunnel. The
 * address is part of its build, and the server that has the tunnel starts there.
 */
export async function deploymentVariables({ dsn, port }: RecordingSentry): Promise<Variables> {
  return {
    SENTRY_DSN: dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    APP_TUNNEL: `http://localhost:${await freePort()}/monitoring`,
  }
}

/** Builds the app, without the files that the form does not have. */
export async function buildForm(
  app: ForeignApp,
  form: Deployment["form"],
  bundler: Bundler,
  environment: Variables,
): Promise<void> {
  const build = (name: string) =>
    app.run("next", ["build", ...bundlerArguments(app, bundler)], {
      ...environment,
      ...production,
      APP_FORM: name,
    })
  if (form === "export+tunnel") await build("tunnel")
  // Files on a static host have no server code, and the types of the other build name it.
  if (form.startsWith("export"))
    for (const path of ["proxy.ts", "app/monitoring", ".next-tunnel/types"])
      rmSync(join(app.directory, path), { recursive: true, force: true })
  await build(form)
  const standalone = join(app.directory, ".next/standalone")
  if (form === "standalone")
    cpSync(join(app.directory, ".next/static"), join(standalone, ".next/static"), { recursive: true })
}

export const NEXT_START: Deployment = {
  name: "`next start`, strict CSP with nonces",
  form: "server",
  async start(app, environment) {
    const origin = `http://127.0.0.1:${await freePort()}`
    await startServer(app, origin, environment)
    return { url: origin, hasServer: true, stop: () => app.stop() }
  },
}

const CUSTOM_SERVER: Deployment = {
  name: "custom server",
  form: "server",
  async start(app, environment) {
    const port = String(await freePort())
    app.spawn("node", ["server.mjs"], { ...environment, ...production, HOSTNAME: "127.0.0.1", PORT: port })
    const origin = `http://127.0.0.1:${port}`
    await app.answers(origin)
    return { url: origin, hasServer: true, stop: () => app.stop() }
  },
}

async function startServer(app: ForeignApp, origin: string, environment: Variables): Promise<void> {
  const { hostname, port } = new URL(origin)
  app.spawn("next", ["start", "--port", port, "--hostname", hostname], { ...environment, ...production })
  await app.answers(origin)
}

/** Starts the standalone server as a container does: as another user, on a read-only file system. */
async function startContained(
  app: ForeignApp,
  environment: Variables,
): Promise<{ origin: string; stop(): Promise<void> }> {
  chmodSync(app.directory, 0o755)
  const writable = join(app.directory, "writable")
  mkdirSync(writable, { recursive: true })
  const port = await freePort()
  const child = spawnOnReadOnlyRoot(STRANGER, [process.execPath, "server.js"], {
    cwd: join(app.directory, ".next/standalone"),
    writable,
    environment: { ...cleanEnvironment(), ...environment, ...production, HOSTNAME: "127.0.0.1", PORT: String(port) },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const origin = `http://127.0.0.1:${port}`
  await app.answers(`${origin}${BASE_PATH}`).catch((error: unknown) => {
    child.kill("SIGKILL")
    throw new Error(`${String(error)}\n${output}`)
  })
  return {
    origin,
    async stop() {
      if (child.exitCode !== null) return
      const exited = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await exited
    },
  }
}

function needsMounts(): string | undefined {
  return canMount() ? undefined : "needs the right to mount a file system"
}

function behindBalancer(name: string, instances: number): Deployment {
  return {
    name,
    form: "standalone",
    obstacle: needsMounts,
    async start(app, environment) {
      const started = await Promise.all(Array.from({ length: instances }, () => startContained(app, environment)))
      const balancer: LocalServer = await startBalancer(started.map(({ origin }) => origin))
      return {
        url: `${balancer.origin}${BASE_PATH}`,
        hasServer: true,
        async stop() {
          await balancer.close()
          for (const each of started) await each.stop()
        },
      }
    },
  }
}

export const DEPLOYMENTS: readonly Deployment[] = [
  NEXT_START,
  CUSTOM_SERVER,
  {
    name: '`output: "standalone"`, another user, read-only file system',
    form: "standalone",
    obstacle: needsMounts,
    async start(app, environment) {
      const { origin, stop } = await startContained(app, environment)
      return { url: `${origin}${BASE_PATH}`, hasServer: true, stop }
    },
  },
  behindBalancer("`basePath` behind a proxy", 1),
  behindBalancer("three instances behind a balancer", 3),
  {
    name: '`output: "export"` on a static server',
    form: "export",
    async start(app) {
      const files = await serveFiles(join(app.directory, "out"))
      return { url: files.origin, hasServer: false, stop: () => files.close() }
    },
  },
  {
    name: '`output: "export"` on a static server, tunnel on another origin',
    form: "export+tunnel",
    async start(app, environment) {
      const files = await serveFiles(join(app.directory, "out"))
      const tunnel = environment["APP_TUNNEL"]!
      const server = { APP_FORM: "tunnel", PAGESPAN_TUNNEL_ORIGINS: files.origin }
      await startServer(app, new URL(tunnel).origin, { ...environment, ...server })
      return {
        url: files.origin,
        hasServer: false,
        tunnel,
        async stop() {
          await app.stop()
          await files.close()
        },
      }
    },
  },
]
