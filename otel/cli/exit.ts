/** Exit codes of every command. `run` ends with its program's own. */
export const EXIT = {
  ok: 0,
  /** An assertion does not hold, or the inspector could not start. */
  failed: 1,
  /** A command, an option or a filter that cannot be understood. */
  usage: 2,
  /** No inspector answers at the address, or it asks for another token. */
  unreachable: 3,
  /** The inspector answered and would not: an unknown trace, records that it refused. */
  refused: 4,
} as const

/** Ends the command with one line for the person, without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}
