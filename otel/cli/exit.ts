/** Exit codes of every command. `run` exits with the code of its program. */
export const EXIT = {
  ok: 0,
  /** An assertion does not hold, or the inspector could not start. */
  failed: 1,
  /** A command, an option or a filter that cannot be parsed. */
  usage: 2,
  /** No inspector answers at the address, or it requires another token. */
  unreachable: 3,
  /** The inspector answered with a refusal: the trace is unknown, or it rejected records. */
  refused: 4,
} as const

/** Ends the command with its message on standard error, without a stack, and with its exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError"
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

/**
 * Prints an expected error as one message and an unexpected one with its stack.
 *
 * @returns the exit code.
 */
export function reportError(error: unknown): number {
  if (!(error instanceof Error)) throw error
  const isExpected = error instanceof CommandError || error.name === "StartError" || error.name === "ConfigError"
  console.error(isExpected ? error.message : error)
  return error instanceof CommandError ? error.code : EXIT.failed
}
