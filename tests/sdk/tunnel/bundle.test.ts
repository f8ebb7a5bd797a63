import { relative } from "node:path"
import { build, type Plugin } from "vite"
import { describe, expect, test } from "vitest"

/** The folders of the repository that the tunnel's bundle may contain. */
const ALLOWED = /^otel\/(?:tunnel\.ts$|protocol\/|sdk\/(?:\w[\w-]*\.ts$|(?:tunnel|server|sentry|routes)\/))/
const FIXTURE = "virtual:entry"

/** Modules of the repository that a bundle of `source` loads. Packages stay external. */
async function bundledModules(source: string): Promise<string[]> {
  const modules: string[] = []
  const collect: Plugin = {
    name: "collect",
    resolveId: (id) => (id === FIXTURE ? `\0${FIXTURE}` : null),
    load: (id) => (id === `\0${FIXTURE}` ? source : null),
    moduleParsed: ({ id }) => {
      if (!id.startsWith("\0")) modules.push(relative(process.cwd(), id))
    },
  }
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [collect],
    build: { ssr: true, write: false, minify: false, rolldownOptions: { input: FIXTURE } },
  })
  return modules
}

const entry = (file: string) => `export * from ${JSON.stringify(`${process.cwd()}/${file}`)}`

describe("the tunnel's bundle", () => {
  test("contains the tunnel and what it needs of the SDK, and nothing of the inspector or the CLI", async () => {
    const modules = await bundledModules(entry("otel/tunnel.ts"))
    expect(modules).toContain("otel/sdk/tunnel/tunnel.ts")
    expect(modules.filter((file) => !ALLOWED.test(file))).toEqual([])
  })

  test("would be found to contain the journal, the store and the editor if it imported the receiver", async () => {
    const source = `${entry("otel/tunnel.ts")}\n${entry("otel/inspector/ingest/receiver.ts")}`
    const wrong = (await bundledModules(source)).filter((file) => !ALLOWED.test(file))
    expect(wrong).toContain("otel/inspector/ingest/receiver.ts")
    expect(wrong.some((file) => file.startsWith("otel/inspector/ingest/journal/"))).toBe(true)
  })
})
