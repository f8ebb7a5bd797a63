import { execFile } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { get } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, onTestFinished, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { ENGINE } from "#otel/cli/server/engine.ts"
import { freePort } from "#tests/support/free-port.ts"
import { canMount, type Place, spawnOnReadOnlyRoot } from "./read-only-root.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { collectorProblems } from "../docs/collector-yaml.ts"
import { environmentOf, programOf, stagesOf, textsOf } from "./dockerfile.ts"
import { packPackage } from "./foreign-app.ts"

/** The files of `docs/deploy`. No container runs here: the steps of the image run in a directory, on a read-only root. */
const read = (name: string) => readFileSync(join("docs/deploy", name), "utf8")
const { before, last } = stagesOf(read("Dockerfile"))
const TOKEN = "token-of-the-container"
const VARIABLES = new Set(
  [...readFileSync("docs/reference/configuration.md", "utf8").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name),
)
const knownElsewhere = new Set(["NODE_ENV"])
const unknownVariables = (names: readonly string[]) =>
  names.filter((name) => !VARIABLES.has(name) && !knownElsewhere.has(name))

describe("the image", () => {
  test("is built by the commands of the repository, and contains the engine that the store is tested with", () => {
    expect(textsOf(before, "RUN").join(" && ")).toMatch(/^npm ci .* && npm run package && npm pack \.\/dist\/package /)
    expect(textsOf(last, "ARG")).toEqual([`ENGINE=${ENGINE}`])
    expect(unknownVariables(Object.keys(environmentOf(last)))).toEqual([])
    for (const [from] of textsOf(before, "COPY").map((text) => text.split(" ")))
      expect(existsSync(from ?? "")).toBe(true)
  })

  test("installs, starts as a user without rights on a read-only root, is healthy, ingests with the token, and stops", async (context) => {
    if (!canMount()) return context.skip("needs the right to mount a file system")
    const root = await temporaryDirectory()
    chmodSync(root, 0o755)
    const inRoot = (text: string) =>
      text.replaceAll("/pagespan-", `${root}/pagespan-`).replaceAll("/data", `${root}/data`)
    const workdir = join(root, "pagespan")
    mkdirSync(workdir)
    cpSync(await packPackage(), join(root, "pagespan-0.tgz"))
    for (const step of textsOf(last, "RUN")) {
      const script = inRoot(step.replaceAll("/tmp/pagespan-", "/pagespan-"))
      await promisify(execFile)("sh", ["-ec", script], { cwd: workdir, env: { ...process.env, ENGINE: "" } })
    }
    for (const name of ["chdb", "@chdb"])
      symlinkSync(join(process.cwd(), "node_modules", name), join(workdir, "node_modules", name))

    const port = String(await freePort())
    const environment = {
      ...cleanEnvironment(),
      ...environmentOf(last),
      PAGESPAN_DATA: inRoot(environmentOf(last)["PAGESPAN_DATA"] ?? ""),
      PORT: port,
      PAGESPAN_GRPC: "off",
      PAGESPAN_TOKEN: TOKEN,
      // As in the compose file and in the manifests.
      PAGESPAN_ALLOWED_HOSTS: "pagespan",
    }
    const health = () => {
      const [program = "", ...parameters] = programOf(textsOf(last, "HEALTHCHECK").join(""))
      return promisify(execFile)(program, parameters, {
        env: environment as NodeJS.ProcessEnv & typeof environment,
      }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      )
    }
    expect(await health()).toBe(1)
    const [user = ""] = textsOf(last, "USER")
    const container = startOnReadOnlyRoot(user, programOf(textsOf(last, "ENTRYPOINT").join("")), {
      cwd: workdir,
      writable: inRoot("/data"),
      environment,
    })
    await waitFor("health", async () => (await health()) === 0, 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${container.output()}`)
    })
    const now = `${Date.now()}000000`
    const span = {
      traceId: "c".repeat(32),
      spanId: "c".repeat(16),
      name: "contained",
      startTimeUnixNano: now,
      endTimeUnixNano: now,
    }
    const send = (headers: Record<string, string>) =>
      fetch(`http://localhost:${port}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
      })
    expect((await send({})).status).toBe(401)
    const authorization = `Bearer ${TOKEN}`
    expect((await send({ authorization })).status).toBe(200)
    expect(await statusAs("pagespan:4318", port)).toBe(200)
    expect(await statusAs("other:4318", port)).not.toBe(200)
    await waitFor("the trace", async () => {
      const answer = await fetch(`http://localhost:${port}/api/traces/${span.traceId}`, { headers: { authorization } })
      return answer.ok && (await answer.text()).includes("contained")
    })
    expect(readFileSync(`/proc/${container.pid}/status`, "utf8")).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    process.kill(container.pid, "SIGTERM")
    expect(await container.exited).toBe(0)
  })
})

describe("the compose file", () => {
  interface Service {
    readonly build?: { readonly context: string; readonly dockerfile: string }
    readonly environment?: Record<string, string>
    readonly configs?: readonly { readonly source: string }[]
    readonly volumes?: readonly string[]
    readonly ports?: readonly string[]
    readonly depends_on?: Record<string, unknown>
  }
  const compose = parse(read("compose.yaml")) as {
    readonly services: Readonly<Record<string, Service>>
    readonly configs: Readonly<Record<string, { readonly file: string }>>
    readonly volumes: Readonly<Record<string, unknown>>
  }

  test("names files, volumes, services and variables that exist, and publishes on loopback only", () => {
    const services = Object.values(compose.services)
    const { build, environment = {} } = compose.services["pagespan"] ?? {}
    expect(existsSync(join("docs/deploy", build?.context ?? "", build?.dockerfile ?? ""))).toBe(true)
    expect(unknownVariables(Object.keys(environment))).toEqual([])
    for (const { file } of Object.values(compose.configs)) expect(existsSync(join("docs/deploy", file))).toBe(true)
    for (const { source } of services.flatMap(({ configs = [] }) => configs))
      expect(compose.configs).toHaveProperty(source)
    for (const volume of services.flatMap(({ volumes = [] }) => volumes))
      expect(compose.volumes).toHaveProperty(volume.split(":")[0] ?? "")
    for (const name of services.flatMap(({ depends_on = {} }) => Object.keys(depends_on)))
      expect(compose.services).toHaveProperty(name)
    for (const port of services.flatMap(({ ports = [] }) => ports)) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  test("has a Collector whose pipelines lead to the inspector", () => {
    expect(collectorProblems(read("collector.yaml"))).toEqual([])
    const { exporters } = parse(read("collector.yaml")) as { exporters: Record<string, { endpoint: string }> }
    const { hostname, port } = new URL(exporters["otlphttp/pagespan"]?.endpoint ?? "")
    expect(compose.services).toHaveProperty(hostname)
    expect(compose.services["pagespan"]?.environment?.["PAGESPAN_ALLOWED_HOSTS"]).toBe(hostname)
    expect(environmentOf(last)["PORT"]).toBe(port)
  })
})

test("the Kubernetes manifests match each other and the image, and take every right from the container", () => {
  const [service, set] = parseAllDocuments(read("kubernetes.yaml")).map((document) => document.toJS()) as [
    { spec: { selector: object; ports: { targetPort: string }[] } },
    {
      spec: {
        selector: { matchLabels: object }
        template: {
          metadata: { labels: object }
          spec: {
            securityContext: object
            containers: {
              ports: { name: string }[]
              env: { name: string }[]
              securityContext: object
              volumeMounts: { name: string; mountPath: string }[]
            }[]
            volumes: { name: string }[]
          }
        }
        volumeClaimTemplates: { metadata: { name: string } }[]
      }
    },
  ]
  const { template, selector, volumeClaimTemplates } = set.spec
  const [container] = template.spec.containers
  expect([service.spec.selector, selector.matchLabels]).toEqual([template.metadata.labels, template.metadata.labels])
  expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(container?.ports.map(({ name }) => name))
  expect(unknownVariables(container?.env.map(({ name }) => name) ?? [])).toEqual([])
  const volumes = [
    ...template.spec.volumes.map(({ name }) => name),
    ...volumeClaimTemplates.map((each) => each.metadata.name),
  ]
  expect(container?.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted())
  expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toContain(textsOf(last, "VOLUME")[0])
  expect(`${textsOf(last, "USER")[0]}`).toBe("10001:10001")
  expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001, runAsGroup: 10_001 })
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  })
})

/** The status of `/health` for a request that names another host, as one within a network of containers does. */
function statusAs(host: string, port: string): Promise<number | undefined> {
  return new Promise((resolve, reject) =>
    get({ port, path: "/health", headers: { host } }, (response) => resolve(response.resume().statusCode)).on(
      "error",
      reject,
    ),
  )
}

/** Starts a program as a container does, until the end of the test. */
function startOnReadOnlyRoot(user: string, program: readonly string[], place: Place) {
  const child = spawnOnReadOnlyRoot(user, program, place)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => void child.kill("SIGKILL"))
  return {
    pid: child.pid ?? -1,
    output: () => output,
    exited: new Promise<number | null>((resolve) => child.once("exit", resolve)),
  }
}
