import { ClickHouseError } from "@clickhouse/client"
import type { DropCategory } from "../../protocol/records/drop.ts"
import { NoAnswer } from "./clickhouse.ts"

/** The store cannot answer now: it is starting, restarting or unreachable. Handlers answer 503, screens say so. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
}

/** The store is there, and did not take these records: offered again, they may well be refused again. */
export class RecordsRefused extends Error {
  override readonly name = "RecordsRefused"

  constructor(
    readonly category: DropCategory,
    /** How many there are in the batch. */
    readonly count: number,
    options?: ErrorOptions,
  ) {
    super(`The store did not take ${count} records (${category}).`, options)
  }
}

/** Whoever asked has left, so the question was ended in the store: there is no answer, and nothing is wrong. */
export class QueryCancelled extends Error {
  override readonly name = "QueryCancelled"
}

/**
 * ClickHouse codes that say "not now" rather than "never like this": overload, limits of memory and time while
 * writing, a disk that is full or read-only, files that are gone, a cluster that has lost a part.
 *
 * @see https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const AWAY = new Map([
  ["159", "it took too long"],
  ["202", "it is overloaded"],
  ["209", "its network is too slow"],
  ["210", "its network fails"],
  ["225", "its coordination service is away"],
  ["236", "it is stopping"],
  ["241", "it is out of memory"],
  ["252", "it cannot keep up with merging"],
  ["279", "no replica answers"],
  ["285", "too few replicas answer"],
  ["319", "it does not know whether the insert succeeded"],
  ["394", "it stopped the statement"],
  ["516", "it does not accept our password"],
  ["999", "its coordination service fails"],
])

/** Those of them that last until somebody mends the machine. */
const AILING = new Map([
  ["74", "its files cannot be read"],
  ["75", "its files cannot be written"],
  ["76", "its files cannot be opened"],
  ["107", "its files are gone"],
  ["164", "it only lets us read"],
  ["242", "a table is read-only"],
  ["243", "its disk is full"],
  ["1001", "its file system fails"],
])

/** Whether a failed write says that the next one will fail as well. */
export function isAiling(error: unknown): boolean {
  return error instanceof ClickHouseError && AILING.has(error.code)
}

/** One line on why ClickHouse is away, or `undefined` when the failure is the statement's own. Shows neither SQL nor values. */
export function whyAway(error: unknown): string | undefined {
  if (error instanceof NoAnswer) return `ClickHouse does not answer: ${error.message}`
  if (!(error instanceof ClickHouseError)) return undefined
  const reason = AWAY.get(error.code) ?? AILING.get(error.code)
  return reason === undefined ? undefined : `ClickHouse cannot serve us: ${reason} (code ${error.code})`
}

/** The failure as callers of the store meet it. */
export function asStoreFailure(error: unknown): unknown {
  const why = whyAway(error)
  return why === undefined ? error : new StoreUnavailable(why, { cause: error })
}
