import { headers } from "next/headers"
import { notFound, redirect } from "next/navigation"
import { getInspector } from "#otel/inspector/instance.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import type { TraceReader } from "#otel/query/trace-reader.ts"

/**
 * What the store answers a screen, or `undefined` while it is away. Any other failure stays an error. A request by a
 * host that is not served gets nothing: a foreign page can point a name of its own at this machine.
 */
export async function fromStore<T>(
  ask: (traces: TraceReader, inspector: Inspector) => Promise<T>,
): Promise<T | undefined> {
  const inspector = getInspector()
  const asked = await headers()
  if (!inspector.serves(asked.get("host"))) notFound()
  if (!inspector.receiver.maySee(asked)) redirect("/sign-in")
  try {
    return await ask(inspector.traces, inspector)
  } catch (error) {
    // Known by its name: start command and screens are bundled apart, so the class thrown is not the class imported here.
    if (error instanceof Error && error.name === "StoreUnavailable") return undefined
    throw error
  }
}
