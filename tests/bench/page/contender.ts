import { readFileSync } from "node:fs"
import type { LoadFigures } from "./load.ts"
import type { SessionFigures } from "./session.ts"
import type { Transfer } from "./transfer.ts"

/** A contender that fails this often is not measured any more. */
const FAILURE_LIMIT = 3

/** A build of the benchmark's app, without an SDK or with one, and its figures. */
export class Contender {
  readonly title: string
  /** Where its server answers; `undefined` if it was not built or did not start. */
  readonly origin: string | undefined
  /** The figures of each round; `undefined` for a round that failed. */
  readonly starts: (number | undefined)[] = []
  readonly loads: (LoadFigures | undefined)[] = []
  readonly sessions: (SessionFigures | undefined)[] = []
  readonly transfers: (Transfer | undefined)[] = []
  readonly failures: string[] = []

  constructor(title: string, origin: string | undefined) {
    this.title = title
    this.origin = origin
  }

  /** Adds the figures of a round. A failure is reported, and leaves a gap. */
  async measure<F>(list: (F | undefined)[], work: (origin: string) => Promise<F>): Promise<void> {
    if (this.origin === undefined || this.failures.length >= FAILURE_LIMIT) return void list.push(undefined)
    try {
      list.push(await work(this.origin))
    } catch (error) {
      list.push(undefined)
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    this.failures.push(String(error))
    console.warn(`${this.title} failed: ${String(error)}`)
  }
}

/** Microseconds of the main thread to start and end one span with five attributes under an open root; medians. */
export interface SpanFigures {
  readonly pagespan: number
  /** OpenTelemetry's SDK without an exporter: the lower bound of any tracer on it. */
  readonly sdk: number
  readonly sentry: number
}

/** The packages of Faro, which have a lockfile of their own. */
export const FARO = "tests/pages/cost/faro"

const locked = ["package-lock.json", `${FARO}/package-lock.json`].map(
  (path) => JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, { version: string }> },
)

/** The version of a package that a page is built with. */
export function versionOf(name: string): string {
  const [version] = locked.flatMap(({ packages }) => packages[`node_modules/${name}`]?.version ?? [])
  if (version === undefined) throw new Error(`${name} is in no lockfile`)
  return version
}
