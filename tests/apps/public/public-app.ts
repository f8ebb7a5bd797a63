import type { ComparedApp } from "../compare-app.ts"
import type { Change } from "./changes.ts"

/** A public app that the table in `docs/reference/compatibility.md` has, and how to prepare, build and visit it. */
export interface PublicApp extends Omit<ComparedApp, "directory" | "bundler"> {
  /** Name in the command and in the table. */
  readonly name: string
  /** Owner and name on GitHub. */
  readonly repository: `${string}/${string}`
  /** All 40 digits. */
  readonly commit: string
  /** The app's folder in the repository. Default: the root. */
  readonly folder?: string
  readonly licence: "MIT" | "Apache-2.0"
  /** Name of the licence's file in the repository's root. Default: `LICENSE`. */
  readonly licenceFile?: string
  readonly packageManager: "npm" | "pnpm"
  /** What it has that other apps may not have. */
  readonly features: readonly string[]
  /** What is changed in both copies, in this order, before the packages are installed. */
  readonly changes: readonly Change[]
  /** Starts a PostgreSQL server on this port of `127.0.0.1`, which has a database `postgres` and trusts every user. */
  readonly postgresPort?: number
  /** A shell command in the app's folder, once its packages are installed. Gets `environment`. */
  readonly prepare?: string
  /** Why no command runs end-to-end tests of its own. Default: it has none. */
  readonly withoutTests?: "none" | "not run"
  /** What the reader of its rows must know. */
  readonly notes?: readonly string[]
}
