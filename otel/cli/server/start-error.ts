/** A reason not to start that the person who started it can do something about. Told in one line, without a stack. */
export class StartError extends Error {
  override readonly name = "StartError"
}

/** Ends the process with code 1 and one line for each line of the message; anything unforeseen keeps its stack. */
export function failStart(error: unknown): never {
  const told = error instanceof Error && (error.name === "StartError" || error.name === "ConfigError")
  if (told) console.error(error.message)
  else console.error(error)
  process.exit(1)
}
