import { isOutOfMemory } from "../failure.ts"

/** Failures for want of memory after which rows are halved. Before, a query or a merge may have taken the memory. */
const HALVE_AFTER = 3
/** Failures after which a row that alone needs too much is left out: three minutes, in which queries and merges end. */
const LEAVE_OUT_AFTER = 30

interface Halving<Row> {
  /** How often the engine was out of memory for the batch of these rows. */
  readonly outOfMemory: number
  /** @param part of the batch, for the id of the insert. */
  insert(rows: readonly Row[], part: string): Promise<void>
  /** Counts a row that is not inserted. If this fails as well, the engine has no memory for anything, and the row waits. */
  leaveOut(row: Row, part: string): Promise<void>
}

/** Whether rows for which the engine had too little memory are to be inserted in halves. */
export function mayHalve(error: unknown, outOfMemory: number): boolean {
  return outOfMemory >= HALVE_AFTER && isOutOfMemory(error)
}

/**
 * Inserts rows, and in halves, quarters and so on those for which the engine has been out of memory several times. The parts
 * depend on the rows only, so that what is inserted again has the id that it had.
 *
 * @throws what `insert` throws, for want of memory too until a row is left out.
 */
export async function insertInHalves<Row>(rows: readonly Row[], part: string, halving: Halving<Row>): Promise<void> {
  const { outOfMemory, insert, leaveOut } = halving
  try {
    await insert(rows, part)
  } catch (error) {
    if (!mayHalve(error, outOfMemory)) throw error
    const [first] = rows
    if (rows.length > 1) {
      const middle = rows.length >> 1
      await insertInHalves(rows.slice(0, middle), `${part}/a`, halving)
      await insertInHalves(rows.slice(middle), `${part}/b`, halving)
    } else if (first !== undefined && outOfMemory >= LEAVE_OUT_AFTER) await leaveOut(first, part)
    else throw error
  }
}
