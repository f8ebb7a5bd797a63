import { type ChildProcess, execFile, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { buildPackage } from "#otel/cli/package/build.ts"
import { endProcess } from "#tests/support/end-process.ts"
import { oneAtATime } from "#tests/support/one-at-a-time.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const execute = promisify(execFile)
const REPOSITORY = join(import.meta.dirname, "../..")
const START_LIMIT_MS = 180_000
/** Of an app that is copied: what is linked, and what its builds make. */
const NOT_COPIED = new Set(["node_modules", ".next", ".git"])

/** What a new Next app with TypeScript installs. */
export const NEXT_PACKAGES = [
  "next",
  "react",
  "react-dom",
  "typescript",
  "@types/node",
  "@types/react",
  "@types/react-dom",
]

/** What an app adds to use Sentry. */
export const SENTRY_PACKAGES = ["@sentry/nextjs", "@sentry/browser", "@sentry/opentelemetry"]

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The tarball of `npm pack`, packed once. */
let tarball: Promise<string> | undefined

export function packPackage(): Promise<string> {
  tarball ??= oneAtATime(join(REPOSITORY, "dist"), pack)
  return tarball
}

async function pack(): Promise<string> {
  const directory = await buildPackage(REPOSITORY)
  const destination = join(REPOSITORY, "dist")
  const made = join(destination, `pagespan-${version(directory)}.tgz`)
  if (isNewer(made, join(destination, "package-sources"))) return made
  const { stdout } = await execute("npm", ["pack", directory, "--pack-destination", destination, "--json"], {
    cwd: destination,
  })
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  return join(destination, packed.filename)
}

function version(directory: string): string {
  return (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { version: string }).version
}

function isNewer(file: string, other: string): boolean {
  const made = statSync(file, { throwIfNoEntry: false })
  return made !== undefined && made.mtimeMs > statSync(other).mtimeMs
}

/**
 * A Next app outside the repository. Its `node_modules` contains the package from its tarball, the package's dependencies,
 * and the packages that the test names.
 */
export class ForeignApp {
  readonly directory: string
  readonly #children: ChildProcess[] = []
  #output = ""

  private constructor(directory: string) {
    this.directory = directory
  }

  /**
   * @param template folder in `tests/package/apps`.
   * @param packages names of packages to take from the repository's `node_modules`, with their dependencies.
   * @param others a `node_modules` that provides all other packages.
   */
  static async create(template: string, packages: readonly string[], others?: string): Promise<ForeignApp> {
    const app = new ForeignApp(await mkdtemp(join(tmpdir(), "pagespan-foreign-")))
    cpSync(join(import.meta.dirname, "apps", template), app.directory, { recursive: true })
    await app.#install(packages)
    // `-n` replaces no package: one that both have is the repository's.
    if (others !== undefined) await execute("cp", ["-aln", `${others}/.`, join(app.directory, "node_modules")])
    return app
  }

  /** An app with the packages of a manifest and the packed package, installed by npm. */
  static async installed(
    template: string,
    manifest: {
      readonly dependencies: Readonly<Record<string, string | undefined>>
      readonly [field: string]: unknown
    },
  ): Promise<ForeignApp> {
    const app = new ForeignApp(await mkdtemp(join(tmpdir(), "pagespan-foreign-")))
    cpSync(join(import.meta.dirname, "apps", template), app.directory, { recursive: true })
    const dependencies = { ...manifest.dependencies, pagespan: `file:${await packPackage()}` }
    writeFileSync(join(app.directory, "package.json"), JSON.stringify({ private: true, ...manifest, dependencies }))
    const install = ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
    try {
      await execute("npm", install, { cwd: app.directory })
    } catch (error) {
      await app.remove()
      throw error
    }
    return app
  }

  /** A copy of an app of others with its `node_modules`. Pagespan is installed by `installPackage`. */
  static async copyOf(directory: string): Promise<ForeignApp> {
    const app = new ForeignApp(await mkdtemp(join(tmpdir(), "pagespan-foreign-")))
    const isCopied = (path: string) => !NOT_COPIED.has(relative(directory, path))
    cpSync(directory, app.directory, { recursive: true, filter: isCopied })
    await linkOrCopy(join(directory, "node_modules"), join(app.directory, "node_modules"))
    return app
  }

  /** Installs the packed package with the package manager that installed the app's packages. */
  async installPackage(): Promise<void> {
    const hasPnpm = existsSync(join(this.directory, "node_modules/.modules.yaml"))
    const [program, ...words] = hasPnpm ? ["pnpm", "add"] : ["npm", "install", "--no-audit", "--no-fund"]
    const packed = await packPackage()
    // Packing builds with Next, which sets NODE_ENV in this process: npm would then remove the app's devDependencies.
    const env = cleanEnvironment() as unknown as NodeJS.ProcessEnv
    await execute(program!, [...words, packed], { cwd: this.directory, env })
  }

  /** The version of an installed package. */
  versionOf(name: string): string {
    return version(join(this.directory, "node_modules", name))
  }

  /** The output of the app's programs so far. */
  get output(): string {
    return this.#output
  }

  /** Runs a program of the app to its end. Rejects with its output when it fails. */
  async run(program: string, parameters: readonly string[], environment: Record<string, string> = {}): Promise<string> {
    const child = this.spawn(program, parameters, environment)
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} ended with ${code}:\n${output}`)
    return output
  }

  /** Starts a program of `node_modules/.bin`, or `node`. */
  spawn(program: string, parameters: readonly string[], environment: Record<string, string> = {}): ChildProcess {
    const own = program === "node" ? [] : [this.#programFile(program)]
    // As a shell and npm would set them: some plugins look for the app there.
    const place = { PWD: this.directory, INIT_CWD: this.directory, NEXT_TELEMETRY_DISABLED: "1" }
    const child = spawn(process.execPath, [...own, ...parameters], {
      cwd: this.directory,
      env: { ...cleanEnvironment(), ...place, ...environment } as unknown as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
    })
    this.#children.push(child)
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
    return child
  }

  /** Waits until the address answers. */
  async answers(url: string): Promise<void> {
    const isUp = () => fetch(url, { redirect: "manual" }).then(Boolean, () => false)
    await waitFor(`${url} to answer`, isUp, START_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#output}`)
    })
  }

  async stop(): Promise<void> {
    for (const child of this.#children.splice(0)) await endProcess(child)
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.directory, { recursive: true, force: true })
  }

  #programFile(program: string): string {
    const modules = join(this.directory, "node_modules")
    const { bin } = JSON.parse(readFileSync(join(modules, program, "package.json"), "utf8")) as {
      bin: Record<string, string>
    }
    return join(modules, program, bin[program] ?? "")
  }

  async #install(packages: readonly string[]): Promise<void> {
    const target = join(this.directory, "node_modules/pagespan")
    mkdirSync(target, { recursive: true })
    await execute("tar", ["-xzf", await packPackage(), "--strip-components=1", "-C", target])
    const names = closure([...packages, ...dependenciesOf(join(target, "package.json"))])
    for (const name of names) {
      mkdirSync(dirname(join(this.directory, "node_modules", name)), { recursive: true })
      const from = join(REPOSITORY, "node_modules", name)
      const to = join(this.directory, "node_modules", name)
      await linkOrCopy(from, to)
    }
  }
}

/** Hard links if the file system allows: a copy of Next and its compiler takes 300 MB. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await execute("cp", ["-al", from, to]).catch(() => execute("cp", ["-a", from, to]))
}

/** The packages and their dependencies, as far as the repository has them installed. */
function closure(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const manifest = join(REPOSITORY, "node_modules", name, "package.json")
    if (found.has(name) || !existsSync(manifest)) continue
    found.add(name)
    closure(dependenciesOf(manifest), found)
  }
  return found
}

function dependenciesOf(manifest: string): string[] {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, "utf8")) as Manifest
  return Object.keys({ ...dependencies, ...optionalDependencies })
}
