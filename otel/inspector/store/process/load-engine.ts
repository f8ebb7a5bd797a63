import { createRequire } from "node:module"
import type * as chdb from "chdb"
import { OpenFailure } from "./open-failure.ts"

export type Chdb = typeof chdb

const NO_ENGINE =
  "No embedded engine on this platform (chDB has binaries for Linux with glibc and for macOS): set CLICKHOUSE_URL to use a ClickHouse server."

/**
 * chDB is an optional dependency of 570 MB; nothing but the store process loads it, and only when it is needed.
 *
 * @throws {OpenFailure} where it is not installed or has no binary.
 */
export function loadEngine(load: (name: string) => unknown = createRequire(import.meta.url)): Chdb {
  try {
    return load("chdb") as Chdb
  } catch (error) {
    throw new OpenFailure(NO_ENGINE, true, { cause: error })
  }
}
