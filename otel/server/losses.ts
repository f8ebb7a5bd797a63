import type { LossCategory, LossReason, LossStage } from "../model/loss.ts"
import { fromMilliseconds } from "../model/time.ts"
import { localInspector } from "./local-inspector.ts"

/** Tells the inspector in this process, where there is one, what was lost and why. */
export function countLoss(
  stage: LossStage,
  reason: LossReason,
  category: LossCategory,
  count: number,
  sample: string,
): void {
  localInspector()?.loss({ time: fromMilliseconds(Date.now()), stage, reason, category, count, sample })
}
