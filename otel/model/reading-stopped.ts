/** Whoever asked has left, so the question was ended in the store: there is no answer, and nothing is wrong. */
export class ReadingStopped extends Error {
  override readonly name = "ReadingStopped"
}
