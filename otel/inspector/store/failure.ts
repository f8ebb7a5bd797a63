import { ClickHouseError } from "@clickhouse/client"
import type { DropCategory } from "../../protocol/records/drop.ts"
import { NoAnswer } from "./clickhouse.ts"

/** The store cannot serve requests now: it is starting, restarting or unreachable. Handlers respond 503, screens say so. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
}

/** ClickHouse is up and rejected these records. It may well reject them again. */
export class RecordsRefused extends Error {
  override readonly name = "RecordsRefused"

  constructor(
    readonly category: DropCategory,
    /** Records of the category in the batch. */
    readonly count: number,
    options?: ErrorOptions,
  ) {
    super(`The store rejected ${count} records (${category}).`, options)
  }
}

/** The caller disconnected, so the store cancelled its query. Nothing is wrong. */
export class QueryCancelled extends Error {
  override readonly name = "QueryCancelled"
}

const OUT_OF_MEMORY = "241"

/**
 * ClickHouse error codes of a temporary state, after which the same statement may succeed: overload, limits of memory
 * and time, an unreachable part of a cluster.
 *
 * @see https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const UNAVAILABLE = new Map([
  ["159", "it took too long"],
  ["192", "it does not know our user"],
  ["201", "a quota of our user is used up"],
  ["202", "it is overloaded"],
  ["203", "it has no free connection"],
  ["209", "its network is too slow"],
  ["210", "its network fails"],
  ["225", "its coordination service is unavailable"],
  ["236", "it is stopping"],
  [OUT_OF_MEMORY, "it is out of memory"],
  ["252", "it cannot keep up with merging"],
  ["279", "no replica responds"],
  ["285", "too few replicas respond"],
  ["286", "too few replicas have the previous insert"],
  ["319", "it does not know whether the insert succeeded"],
  ["394", "it stopped the statement"],
  ["425", "its system fails"],
  ["439", "it cannot start another thread"],
  ["497", "our user may not do this"],
  ["499", "its object storage fails"],
  ["516", "it does not accept our password"],
  ["745", "it is overloaded"],
  ["999", "its coordination service fails"],
])

/** Whether the engine had too little memory for a statement, by its own error or that of the store. */
export function isOutOfMemory(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof ClickHouseError && cause.code === OUT_OF_MEMORY
}

/** The engine's error code, else the error's name: what failures of one cause share, whatever their messages hold. */
export function failureKind(error: unknown): string {
  const cause = error instanceof StoreUnavailable ? (error.cause ?? error) : error
  if (cause instanceof ClickHouseError) return cause.code
  return cause instanceof Error ? cause.name : typeof cause
}

const CHECK_DISK = "Check its disk"

/** Error codes of storage that fails until someone repairs it, each with what to do. Every write fails, queries may work. */
const STORAGE_FAILURES: ReadonlyMap<string, readonly [reason: string, remedy: string]> = new Map([
  ["74", ["its files cannot be read", CHECK_DISK]],
  ["75", ["its files cannot be written", CHECK_DISK]],
  ["76", ["its files cannot be opened", CHECK_DISK]],
  ["107", ["its files are missing", "Start Pagespan again"]],
  ["164", ["its user is read-only", "Give its user the permission to write"]],
  ["242", ["a table is read-only", "Check its disk and its replicas"]],
  ["243", ["its disk is full", "Free some space on it"]],
  ["1001", ["its file system fails", CHECK_DISK]],
])

const READ_ONLY = ["its disk is read-only", "Mount it for writing"] as const

/** The failure of storage that an error reports. A disk that the system has made read-only has many codes. */
function storageFailure({ code, message }: ClickHouseError): readonly [reason: string, remedy: string] | undefined {
  const failure = STORAGE_FAILURES.get(code)
  return failure !== undefined && /\bEROFS\b|Read-only file system/.test(message) ? READ_ONLY : failure
}

/** Whether the next write will fail too. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof ClickHouseError && STORAGE_FAILURES.has(error.code)
}

/** Why ClickHouse is unavailable and what to do, in one line without SQL or values; `undefined` if the statement itself failed. */
export function whyUnavailable(error: unknown): string | undefined {
  if (error instanceof NoAnswer) return `ClickHouse does not respond: ${error.message}`
  if (!(error instanceof ClickHouseError)) return undefined
  const storage = storageFailure(error)
  if (storage !== undefined) return `ClickHouse is unavailable: ${storage[0]} (code ${error.code}). ${storage[1]}.`
  const reason = UNAVAILABLE.get(error.code)
  return reason === undefined ? undefined : `ClickHouse is unavailable: ${reason} (code ${error.code})`
}

/** The error that callers of the store get. */
export function asStoreFailure(error: unknown): unknown {
  const why = whyUnavailable(error)
  return why === undefined ? error : new StoreUnavailable(why, { cause: error })
}
