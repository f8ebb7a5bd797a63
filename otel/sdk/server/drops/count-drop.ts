import type { DropCategory, DropReason, DropStage } from "../../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../../protocol/records/time.ts"
import { type Destination, logDrop } from "./drop-log.ts"
import { localInspector } from "../local-inspector.ts"

/**
 * Reports dropped data to the inspector in this process. Without one, the server's log has a line.
 *
 * @param destination where the data was to go, if it was on its way.
 */
export function countDrop(
  stage: DropStage,
  reason: DropReason,
  category: DropCategory,
  count: number,
  sample: string,
  destination?: Destination,
): void {
  const inspector = localInspector()
  if (inspector === undefined) logDrop({ stage, reason, category, count, destination })
  else inspector.drop({ time: fromMilliseconds(Date.now()), stage, reason, category, count, sample })
}
