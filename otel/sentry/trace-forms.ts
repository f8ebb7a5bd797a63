import { TRANSACTION_SPAN_LIMIT } from "../model/limits.ts"
import type { SpanForm, SpanSetting } from "../model/span-form.ts"

/** Traces whose form is remembered; the oldest is forgotten past this many. */
const REMEMBERED_TRACES = 1_000

/** Which form each trace has, from its first root to its last, so that nothing is ever told in both. */
export class TraceForms {
  readonly #setting: SpanSetting
  readonly #known = new Map<string, SpanForm>()

  constructor(setting: SpanSetting) {
    this.#setting = setting
  }

  of(traceId: string, children: number): SpanForm {
    if (this.#setting !== "auto") return this.#setting
    const form = this.#known.get(traceId) ?? (children > TRANSACTION_SPAN_LIMIT ? "stream" : "transaction")
    this.settle(traceId, form)
    return form
  }

  settle(traceId: string, form: SpanForm): void {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= REMEMBERED_TRACES && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(traceId, form)
  }
}
