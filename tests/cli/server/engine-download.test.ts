import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { installEngine, npmInstall } from "#otel/cli/server/engine.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

/** The download of the engine by the real npm, from a registry of this test, which has a package with an install script. */

const NAME = "chdb"
const VERSION = "1.0.0"

/** The tarball of a package whose script leaves a file. */
async function packageWithScript(marker: string): Promise<Buffer> {
  const directory = await temporaryDirectory()
  const scripts = Object.fromEntries(["preinstall", "install", "postinstall"].map((when) => [when, `touch ${marker}`]))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: NAME, version: VERSION, scripts }))
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: directory, stdio: "ignore" })
  return readFileSync(join(directory, `${NAME}-${VERSION}.tgz`))
}

const integrityOf = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`

/** Serves the tarball, and says of it what it is. */
async function registry(tarball: Buffer): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return response.end(tarball)
    const dist = { tarball: `${url}/${NAME}.tgz`, integrity: integrityOf(tarball) }
    const versions = { [VERSION]: { name: NAME, version: VERSION, dist, hasInstallScript: true } }
    return response.end(JSON.stringify({ name: NAME, "dist-tags": { latest: VERSION }, versions }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}

/** Installs from the registry a package that the lockfile pins by the digest. */
async function install(url: string, integrity: string): Promise<string> {
  vi.stubEnv("npm_config_registry", url)
  vi.stubEnv("npm_config_cache", await temporaryDirectory())
  onTestFinished(() => void vi.unstubAllEnvs())
  const dependencies = { [NAME]: VERSION }
  const packages = {
    "": { dependencies },
    [`node_modules/${NAME}`]: { version: VERSION, integrity, hasInstallScript: true },
  }
  return installEngine(join(await temporaryDirectory(), "pagespan", `${NAME}@${VERSION}`), (own) => {
    writeFileSync(join(own, "package.json"), JSON.stringify({ private: true, dependencies }))
    writeFileSync(join(own, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
    return npmInstall(own)
  })
}

test("the engine's download has the digest of the lockfile, and none of its scripts runs", async () => {
  const marker = join(await temporaryDirectory(), "ran")
  const tarball = await packageWithScript(marker)
  const url = await registry(tarball)
  const modules = await install(url, integrityOf(tarball))
  expect(existsSync(join(modules, NAME, "package.json"))).toBe(true)
  expect(existsSync(marker)).toBe(false)
})

test("a download with another digest is not installed, whatever the registry says of it", async () => {
  const tarball = await packageWithScript("/nowhere")
  const url = await registry(tarball)
  await expect(install(url, integrityOf(Buffer.from("another")))).rejects.toThrow("could not be installed")
})
