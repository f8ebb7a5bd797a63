import type { LossCategory } from "./loss.ts"

/** The store is there, and did not take these records: offered again, they may well be refused again. */
export class RecordsRefused extends Error {
  override readonly name = "RecordsRefused"

  constructor(
    readonly category: LossCategory,
    /** How many there are in the batch. */
    readonly count: number,
    options?: ErrorOptions,
  ) {
    super(`The store did not take ${count} records (${category}).`, options)
  }
}
