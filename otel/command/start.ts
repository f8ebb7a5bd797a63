import { failStart } from "./fail.ts"
import { findHome } from "./home.ts"
import { startInspector, stopOnSignal } from "./start-inspector.ts"

/** `npm start`. */
async function start(): Promise<void> {
  const inspector = await startInspector(findHome())
  stopOnSignal(() => inspector.stop())
  await inspector.shown
}

start().catch(failStart)
