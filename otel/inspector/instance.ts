import { readConfig } from "./config.ts"
import { createInspector, type Inspector, type Programs } from "./inspector.ts"

/** On the global object: the start command and Next's bundles are modules apart, and there is one store. */
const KEY = Symbol.for("pagespan.inspector")
type Holder = { [KEY]?: Inspector }

/**
 * The inspector of this process. The start command makes it; where only Next runs, the first request does.
 *
 * @param programs that run beside it, for whoever makes it.
 * @throws {ConfigError} when a variable is not usable.
 */
export function getInspector(programs?: Programs): Inspector {
  const holder = globalThis as Holder
  holder[KEY] ??= createInspector(readConfig(process.env), programs)
  return holder[KEY]
}
