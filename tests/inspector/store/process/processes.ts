import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import type { ChildMessage } from "#otel/inspector/store/process/protocol.ts"
import { PACKAGED_STORE_PROCESS } from "#tests/support/packaged.ts"
import { removeDirectory, temporaryDirectory } from "../directories.ts"

/** A store process without its supervisor, and ClickHouse's own client for it. */

export const TOKEN = "a token for tests"

export function forkStore(execArgv: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
  const child = fork(PACKAGED_STORE_PROCESS, [], {
    execArgv: [...execArgv],
    env: { PATH: process.env["PATH"], NODE_ENV: "test", TZ: "UTC", UV_THREADPOOL_SIZE: "16", ...env },
    // As the supervisor does: a process whose parent has ended cannot write to standard error.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  child.stderr?.resume()
  return child
}

/** Makes the process open the directory. Resolves with its first message, rejects when it ends without one. */
export async function open(child: ChildProcess, directory: string): Promise<ChildMessage> {
  child.send({ type: "open", directory, token: TOKEN }, () => {})
  return await Promise.race([
    once(child, "message").then(([message]) => message as ChildMessage),
    ended(child).then(({ code, signal }) => {
      throw new Error(`The store process ended (${signal ?? `exit code ${code}`}) before it answered.`)
    }),
  ])
}

export async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  return { code: child.exitCode, signal: child.signalCode }
}

export async function stop(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  // A process that ends by itself, because its directory was removed first, accepts no messages.
  if (child.connected) child.send({ type: "stop" }, () => {})
  return ended(child)
}

export function clientOf(port: number, password = TOKEN, compressed = false): ClickHouseClient {
  return createClient({
    url: `http://127.0.0.1:${port}`,
    password,
    compression: { request: compressed, response: compressed },
    log: { level: ClickHouseLogLevel.OFF },
  })
}

export async function portOf(child: ChildProcess, directory: string): Promise<number> {
  const message = await open(child, directory)
  if (message.type !== "listening") throw new Error(message.type === "failed" ? message.reason : message.type)
  return message.port
}

/** One store process for all tests of a file. */
export function processOfFile(): () => number {
  const directory = temporaryDirectory()
  let child: ChildProcess | undefined
  let port = 0
  beforeAll(async () => {
    child = forkStore()
    port = await portOf(child, directory)
  })
  afterAll(async () => {
    if (child) await stop(child)
    removeDirectory(directory)
  })
  return () => port
}

/** A store process that stops with the test. */
export function processOfTest(): ChildProcess {
  const child = forkStore()
  onTestFinished(async () => void (await stop(child)))
  return child
}
