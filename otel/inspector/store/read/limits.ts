/**
 * The end of the SQL of a statement that reads: seconds that it may run, and rows that it may answer with. On a
 * cluster all rows of a trace are on one shard, so a subquery by trace id is answered by each shard for itself.
 */
export function readLimits({ seconds, rows }: { seconds: number; rows: number }): string {
  return `SETTINGS max_execution_time = ${seconds}, max_result_rows = ${rows}, result_overflow_mode = 'throw', distributed_product_mode = 'local'`
}
