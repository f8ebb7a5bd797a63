import type { Inspector } from "./inspector.ts"
import { processState } from "./process-state.ts"

/**
 * The inspector of this process. Next bundles what a route imports into each route, so routes import this file, which
 * holds none of the inspector's code: the start command passes the function that creates the inspector, or
 * `instrumentation.ts` where Next runs without that command.
 */

/** Sets how the first `getInspector()` creates the inspector. A second call changes nothing. */
export function provideInspector(create: () => Inspector): void {
  processState("createInspector", () => create)
}

/** Whether a `provideInspector` of this process came before. */
export function isInspectorProvided(): boolean {
  return processState<(() => Inspector) | undefined>("createInspector", () => undefined) !== undefined
}

/**
 * The inspector of this process. The first call creates it: the start command, or the first request where Next runs without
 * that command.
 *
 * @throws {Error} before `provideInspector`.
 */
export function getInspector(): Inspector {
  return processState("inspector", processState<() => Inspector>("createInspector", notProvided))
}

function notProvided(): never {
  throw new Error("This process has no inspector: instrumentation.ts, which provides it, has not run.")
}
