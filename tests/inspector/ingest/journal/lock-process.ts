import { lockDirectory, unlockDirectory } from "#otel/inspector/directory-lock.ts"

/** A process that opens and releases the journals that its parent names, and answers what came of it. */
process.on("message", (message: { lock?: string; unlock?: string }) => {
  if (message.unlock !== undefined) void unlockDirectory(message.unlock).then(() => process.send?.("released"))
  if (message.lock !== undefined)
    lockDirectory(message.lock).then(
      () => process.send?.("open"),
      (error: Error) => process.send?.(error.name === "DirectoryInUse" ? "in use" : error.message),
    )
})
process.send?.("ready")
