import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ENGINE } from "#otel/cli/server/engine.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { ForeignApp } from "./foreign-app.ts"

const ADDRESS = /^Pagespan is on (http:\S+)$/m

describe("the package alone, in an empty directory", () => {
  let directory: ForeignApp
  let started: ReturnType<ForeignApp["spawn"]>
  let url: string

  beforeAll(async () => {
    directory = await ForeignApp.create("empty", [])
    // As after a first start: the engine is in the user's cache, not beside the package.
    const modules = join(directory.directory, "cache/pagespan", ENGINE, "node_modules")
    mkdirSync(modules, { recursive: true })
    for (const name of ["chdb", "@chdb"]) symlinkSync(join(process.cwd(), "node_modules", name), join(modules, name))
    started = directory.spawn("pagespan", ["--no-open", "--port", "0"], {
      XDG_CACHE_HOME: join(directory.directory, "cache"),
      PAGESPAN_GRPC: "off",
      PAGESPAN_SPOTLIGHT: "off",
    })
    await waitFor("the address", () => ADDRESS.test(directory.output), 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${directory.output}`)
    })
    url = ADDRESS.exec(directory.output)?.[1] ?? ""
  })

  afterAll(() => directory?.remove())

  test("shows its screens without a build and without an installed Next, and traces itself", async () => {
    expect(readdirSync(join(directory.directory, "node_modules"))).not.toContain("next")
    const browser = await launchChromium()
    const page = await browser.newPage()
    const failures: string[] = []
    page.on("pageerror", (error) => failures.push(String(error)))
    page.on("response", (response) => {
      if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`)
    })
    await page.goto(`${url}/traces`)
    await page.getByRole("link", { name: "/traces" }).first().waitFor({ timeout: 90_000 })
    await browser.close()
    expect(failures).toEqual([])
  })

  test("stores its records in the directory where it was started, and exits with code 0", async () => {
    const data = join(directory.directory, ".pagespan")
    expect(readdirSync(data)).toContain("journal")
    expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n")
    const exited = new Promise((resolve) => started.once("exit", resolve))
    started.kill("SIGINT")
    expect(await exited).toBe(0)
  })
})
