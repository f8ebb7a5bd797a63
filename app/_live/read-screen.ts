import { defer, type Deferred } from "#app/_live/defer.ts"
import { type Asked, fromStore } from "#app/_live/from-store.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"

/** All that a screen asks the store, soon or later; `undefined` while it is away. */
export function readScreen<T>(
  ask: (inspector: Inspector, asked: Asked) => Promise<T>,
): Promise<Deferred<T> | undefined> {
  return fromStore((_traces, inspector, asked) => defer(ask(inspector, asked), asked))
}
