import { readConfig } from "./config.ts"
import { createInspector, type Inspector, type Programs } from "./inspector.ts"
import { processState } from "./process-state.ts"

/**
 * The inspector of this process. The first call creates it: the start command, or the first request where Next runs without
 * that command.
 *
 * @param programs files of the processes and threads that the inspector starts; used by the first call.
 * @throws {ConfigError} when an environment variable is invalid.
 */
export function getInspector(programs?: Programs): Inspector {
  return processState("inspector", () => createInspector(readConfig(process.env), programs))
}
