import { keepFilesPrivate } from "../../../protocol/private-files.ts"
import { Engine } from "./engine.ts"
import { OpenFailure } from "./open-failure.ts"
import type { ChildMessage, OpenMessage, ParentMessage } from "./protocol.ts"
import { type Handler, serve } from "./serve.ts"

/**
 * The store process: opens the engine where the app says, serves it, and ends with the app. It never outlives its
 * parent (the channel closes with it) and never leaves before the engine is closed, which would crash it.
 */

/** How often it is checked that the directory is still there. */
const PRESENCE_MS = 1_000

// Also where the app is one that keeps its own umask: the engine names no modes.
keepFilesPrivate()

let engine: Engine | undefined
let handler: Handler | undefined
let stopping = false

process.on("message", (message: ParentMessage) => {
  if (message.type === "ask") tell({ type: "here" })
  else if (message.type === "open") void open(message)
  else void stop(0)
})
process.on("disconnect", () => void stop(0))
process.on("SIGTERM", () => void stop(0))
// Ctrl-C reaches the whole process group; the app still has to bring in what it holds, and then says stop.
process.on("SIGINT", () => {})
process.on("uncaughtException", (error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`)
  void stop(1)
})

async function open({ directory, token }: OpenMessage): Promise<void> {
  try {
    engine = Engine.open(directory)
    handler = await serve(engine, token)
    tell({ type: "listening", port: handler.port })
    setInterval(() => endIfGone(directory), PRESENCE_MS)
  } catch (error) {
    const permanent = error instanceof OpenFailure && error.permanent
    tell({ type: "failed", reason: error instanceof Error ? error.message : String(error), permanent })
    await stop(1)
  }
}

function endIfGone(directory: string): void {
  if (stopping || engine?.isPresent()) return
  tell({ type: "failed", reason: `The store directory ${directory} is gone.`, permanent: false })
  void stop(1)
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  await handler?.close()
  await engine?.close()
  process.exit(exitCode)
}

function tell(message: ChildMessage): void {
  if (process.connected) process.send?.(message)
}
