import type { Inspector } from "#otel/inspector/inspector.ts"
import { type Asked, fromStore } from "#app/feed/from-store.ts"
import { type SoonOrLater, soonOrLater } from "#app/feed/soon-or-later.ts"

/** All that a screen asks the store, soon or later; `undefined` while it is away. */
export function readScreen<T>(
  ask: (inspector: Inspector, asked: Asked) => Promise<T>,
): Promise<SoonOrLater<T> | undefined> {
  return fromStore((_traces, inspector, asked) => soonOrLater(ask(inspector, asked), asked))
}
