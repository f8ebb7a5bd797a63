/** A place in a list: by the value that the list is ordered by, then by id, 32 hexadecimal digits. */
export interface ListPosition {
  readonly value: bigint
  readonly id: string
}

export function toCursor({ value, id }: ListPosition): string {
  return Buffer.from(`${value}.${id}`).toString("base64url")
}

/** `undefined` for what no answer of ours has held. */
export function fromCursor(cursor: string): ListPosition | undefined {
  const [, value, id] = /^(\d{1,19})\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  return value === undefined || id === undefined ? undefined : { value: BigInt(value), id }
}
