/** Something that stored spans have, to be offered while a filter is written. */
export interface KnownValue {
  readonly value: string
  /** Spans that have it, of those that were looked at. */
  readonly spans: number
}
