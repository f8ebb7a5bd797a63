/** A request of which nothing is kept: it could not be read, or reading it would cost too much. */
export interface Undecodable {
  readonly ok: false
  readonly reason: "malformed" | "too_large" | "limit_spans"
  /** In words; holds nothing of the request. */
  readonly problem: string
  /** How many records it held, where that is known. */
  readonly count?: number
}

export function undecodable(reason: Undecodable["reason"], problem: string): Undecodable {
  return { ok: false, reason, problem }
}
