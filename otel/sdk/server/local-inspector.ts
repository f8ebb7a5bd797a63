import type { DropRecord } from "../../protocol/records/drop.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { processState } from "../process-state.ts"

/** The SDK's variables, which also configure the inspector's own server and pages. */
export { sdkSchema } from "../config.ts"

/**
 * The seam between a traced server and an inspector in the same process. It is the only file of the SDK that the
 * inspector imports.
 */

/** An inspector that receives this process's spans and drops without a network request. */
export interface LocalInspector {
  /** Ingests finished spans. Never rejects. */
  spans(records: readonly SpanRecord[]): Promise<void>
  /** Records data that this process dropped; at the stage `page`, that a page reports as dropped. */
  drop(record: Omit<DropRecord, "sender">): void
  /** The response to a page's request that the inspector refuses: for a foreign host, or without its token; else `undefined`. */
  refusal(request: Request): Response | undefined
}

const inspector = processState<LocalInspector>("local-inspector")
const inspectorProcess = processState<true>("inspector-process")
const serverFlush = processState<() => Promise<void>>("server-flush")

/** Sets the inspector of this process, or removes it with `undefined`. */
export function setLocalInspector(local: LocalInspector | undefined): void {
  inspector.value = local
}

export function localInspector(): LocalInspector | undefined {
  return inspector.value
}

/** Marks this process as the inspector's own, also if that does not record itself. It logs no drops. */
export function setInspectorProcess(): void {
  inspectorProcess.value = true
}

export function isInspectorProcess(): boolean {
  return inspectorProcess.value === true
}

/** Registers how this server delivers the spans that it still buffers. `flush` must not reject. */
export function setServerFlush(flush: () => Promise<void>): void {
  serverFlush.value = flush
}

/** Delivers the spans that this server still buffers. The inspector awaits it before it closes. Never rejects. */
export async function flushLocalServer(): Promise<void> {
  await serverFlush.value?.()
}
