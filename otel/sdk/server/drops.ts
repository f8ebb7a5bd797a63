import type { DropCategory, DropReason, DropStage } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import { localInspector } from "./local-inspector.ts"

/** Reports dropped data to the inspector in this process, if there is one. */
export function countDrop(
  stage: DropStage,
  reason: DropReason,
  category: DropCategory,
  count: number,
  sample: string,
): void {
  localInspector()?.drop({ time: fromMilliseconds(Date.now()), stage, reason, category, count, sample })
}
