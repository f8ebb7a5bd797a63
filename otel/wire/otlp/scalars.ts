/**
 * How one encoding writes the scalar types of the protocol. Everything above scalars has the same shape in both
 * encodings, so that one walk reads both. Each function gives `undefined` for what is not a value of that type; absence
 * is the caller's business.
 */
export interface Scalars {
  text(value: unknown): string | undefined
  bool(value: unknown): boolean | undefined
  /** A double, NaN and the infinities included. */
  double(value: unknown): number | undefined
  int64(value: unknown): bigint | undefined
  uint64(value: unknown): bigint | undefined
  uint32(value: unknown): number | undefined
  enumNumber(value: unknown): number | undefined
  /** Never a view into the request, which would keep all of it in memory. */
  bytes(value: unknown): Uint8Array | undefined
  /** A trace or span id as hexadecimal text of any length, in either case; it is not yet known to be valid. */
  hexId(value: unknown): string | undefined
}
