import { rm } from "node:fs/promises"

/** Removes a directory in which a store process may still write: it notices a moment later that its app has ended. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
