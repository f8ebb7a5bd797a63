import type { DropRecord } from "../../protocol/records/drop.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { serverRuntime } from "./runtime.ts"

/** The SDK's variables, which also configure the inspector's own server and pages. */
export { sdkSchema } from "../config.ts"

/** An inspector in this very process, to which spans go without a network in between. */
export interface LocalInspector {
  /** Never rejects. */
  spans(records: readonly SpanRecord[]): Promise<void>
  drop(record: DropRecord): void
  /** The answer to a request that the inspector does not serve (a foreign host), `undefined` when it may pass. */
  refusal(request: Request): Response | undefined
}

const KEY = Symbol.for("pagespan.local-inspector")
type Holder = { [KEY]?: LocalInspector }

/** Kept on the global object: Next bundles instrumentation and routes apart. */
export function setLocalInspector(inspector: LocalInspector | undefined): void {
  if (inspector === undefined) delete (globalThis as Holder)[KEY]
  else (globalThis as Holder)[KEY] = inspector
}

export function localInspector(): LocalInspector | undefined {
  return (globalThis as Holder)[KEY]
}

/** Delivers the waiting spans of this process's server, so that its inspector can close. Never rejects. */
export async function flushLocalServer(): Promise<void> {
  await serverRuntime()?.flush()
}
