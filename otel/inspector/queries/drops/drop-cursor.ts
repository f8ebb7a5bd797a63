/** A position in the list of drops: the time, then what identifies a record. */
export interface DropPosition {
  /** Nanoseconds since the epoch. */
  readonly time: string
  readonly batch: string
  readonly position: number
}

export function toDropCursor({ time, batch, position }: DropPosition): string {
  return Buffer.from(`dropped.${time}.${position}.${batch}`).toString("base64url")
}

const CURSOR = /^dropped\.(\d{1,19})\.(\d{1,9})\.([^\0]{0,300})$/su

/** Returns `undefined` for text that is not a cursor of this list. */
export function fromDropCursor(cursor: string): DropPosition | undefined {
  const [text, time = "", position = "", batch = ""] = CURSOR.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  return text === undefined ? undefined : { time, batch, position: Number(position) }
}
