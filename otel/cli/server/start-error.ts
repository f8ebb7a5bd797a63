/** A reason not to start that the user can fix. It is printed as its message, without a stack. */
export class StartError extends Error {
  override readonly name = "StartError"
}

/** Ends the process with code 1. Prints the message of a `StartError` or `ConfigError`, and the stack of any other error. */
export function failStart(error: unknown): never {
  const isExpected = error instanceof Error && (error.name === "StartError" || error.name === "ConfigError")
  console.error(isExpected ? error.message : error)
  process.exit(1)
}
