import { keepFilesPrivate } from "../../../protocol/private-files.ts"
import { OpenFailure } from "./directory.ts"
import { Engine } from "./engine.ts"
import type { ChildMessage, OpenMessage, ParentMessage } from "./protocol.ts"
import { serve, type StoreServer } from "./serve.ts"

/**
 * The store process: opens the engine, serves it, and ends with the app. It never outlives its parent, whose end closes
 * the channel, and never exits before the engine is closed, which would crash it.
 */

/** Interval of the check that the directory still exists. */
const PRESENCE_MS = 1_000

// The engine sets no file modes, and the app may have another umask.
keepFilesPrivate()

let engine: Engine | undefined
let server: StoreServer | undefined
let stopping = false

process.on("message", (message: ParentMessage) => {
  if (message.type === "ping") send({ type: "pong" })
  else if (message.type === "open") void open(message)
  else void stop(0)
})
process.on("disconnect", () => void stop(0))
process.on("SIGTERM", () => void stop(0))
// Ctrl-C and a terminal that closes reach the whole process group. The app first stores what it has buffered, then sends `stop`.
process.on("SIGINT", () => {})
process.on("SIGHUP", () => {})
// The parent reads standard error. When it is gone, a write fails, and that failure must not be reported by another write.
process.stderr.on("error", () => {})
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`)
  void stop(1)
})

async function open({ directory, token }: OpenMessage): Promise<void> {
  try {
    engine = Engine.open(directory)
    server = await serve(engine, token)
    send({ type: "listening", port: server.port })
    setInterval(() => stopIfGone(directory), PRESENCE_MS)
  } catch (error) {
    const permanent = error instanceof OpenFailure && error.permanent
    send({ type: "failed", reason: error instanceof Error ? error.message : String(error), permanent })
    await stop(1)
  }
}

function stopIfGone(directory: string): void {
  if (stopping || engine?.isPresent()) return
  send({ type: "failed", reason: `The store directory ${directory} is missing.`, permanent: false })
  void stop(1)
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  await server?.close()
  await engine?.close()
  process.exit(exitCode)
}

function send(message: ChildMessage): void {
  // If the parent has ended, `disconnect` says so. Without a callback, the failure would be an uncaught exception.
  process.send?.(message, () => {})
}
