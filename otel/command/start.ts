import { failStart } from "./fail.ts"
import { findHome } from "./home.ts"
import { announce, startInspector, stopOnSignal } from "./start-inspector.ts"

/** `npm start`. */
async function start(): Promise<void> {
  const inspector = await startInspector(findHome())
  stopOnSignal(() => inspector.stop())
  await announce(inspector)
}

start().catch(failStart)
