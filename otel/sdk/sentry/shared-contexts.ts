import type { Contexts, Integration } from "@sentry/core"

/** Milliseconds for which transactions share one reading. */
const AGE_LIMIT_MS = 1_000

/**
 * Sentry's integration that adds process, host and system to each event, with one reading a second for transactions. It reads
 * the memory of the process for each event, which took an eighth of the time of a traced request. An error still has the memory
 * of its own moment.
 *
 * @param integration `nodeContextIntegration()`.
 */
export function sharingContexts(integration: Integration): Integration {
  const read = integration.processEvent?.bind(integration)
  if (read === undefined) return integration
  let reading: Promise<Contexts> | undefined
  let readAt = -Infinity
  return {
    ...integration,
    async processEvent(event, hint, client) {
      if (event.type !== "transaction") return read(event, hint, client)
      const now = performance.now()
      if (reading === undefined || now - readAt > AGE_LIMIT_MS) {
        readAt = now
        reading = Promise.resolve(read({}, {}, client)).then((given) => given?.contexts ?? {})
      }
      const contexts: Contexts = { ...event.contexts }
      for (const [name, values] of Object.entries(await reading)) contexts[name] = { ...values, ...contexts[name] }
      return { ...event, contexts }
    },
  }
}
