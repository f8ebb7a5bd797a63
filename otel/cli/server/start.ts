import { findInstallPaths } from "./install-paths.ts"
import { failStart } from "./start-error.ts"
import { announce, startInspector, stopOnSignal } from "./start-inspector.ts"

/** `npm start` */
async function start(): Promise<void> {
  const inspector = await startInspector(findInstallPaths())
  stopOnSignal(() => inspector.stop())
  await announce(inspector)
}

start().catch(failStart)
