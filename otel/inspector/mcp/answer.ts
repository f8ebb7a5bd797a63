/** What a tool answers: for reading, and for working with. */
export interface Answer {
  readonly text: string
  readonly structured: Record<string, unknown>
}

/** A wish that cannot be granted, in words for the agent. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
