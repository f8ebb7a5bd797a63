import { register as startTracing } from "pagespan/server"

export { onRequestError } from "pagespan/server"

/**
 * Where Next runs without the start command, the first request creates the inspector. It serves nothing with a configuration
 * that it cannot use.
 *
 * @throws {ConfigError} naming what cannot be used; Next prints it, and answers every request with 500.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { isInspectorProvided, provideInspector } = await import("#otel/inspector/instance.ts")
    if (!isInspectorProvided()) {
      const { readConfig } = await import("#otel/inspector/config.ts")
      const { createInspector } = await import("#otel/inspector/inspector.ts")
      const config = readConfig(process.env)
      provideInspector(() => createInspector(config))
    }
  }
  await startTracing()
}
