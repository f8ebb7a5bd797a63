/** Runs by name. They are few, and stay until they are removed: no age takes them. */
export function pagespanRuns(): string {
  return `CREATE TABLE IF NOT EXISTS pagespan_runs (
  Name String CODEC(ZSTD(1)),
  Filter String CODEC(ZSTD(1)),
  Since DateTime64(9) CODEC(ZSTD(1)),
  Until DateTime64(9) CODEC(ZSTD(1)),
  IsRemoved Bool CODEC(ZSTD(1)),
  ChangedAt DateTime64(3) CODEC(ZSTD(1))
) ENGINE = MergeTree
ORDER BY Name`
}
