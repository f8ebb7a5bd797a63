/** Text that prints as stars wherever it is logged, serialised or shown; `reveal()` gives the text itself. */
export interface Secret {
  reveal(): string
  toString(): string
  toJSON(): string
}

const masked = (): string => "****"

export function secret(text: string): Secret {
  return Object.freeze({
    reveal: () => text,
    toString: masked,
    toJSON: masked,
    [Symbol.for("nodejs.util.inspect.custom")]: masked,
  })
}
