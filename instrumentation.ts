import { register as startTracing } from "pagespan/server"

export { onRequestError } from "pagespan/server"

/**
 * The inspector serves nothing with a configuration that it cannot use, also where Next runs without the command that reads
 * it first.
 *
 * @throws {ConfigError} naming what cannot be used; Next prints it, and answers every request with 500.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { readConfig } = await import("#otel/inspector/config.ts")
    readConfig(process.env)
  }
  await startTracing()
}
