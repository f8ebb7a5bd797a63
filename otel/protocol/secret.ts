/** A string that prints as `****` when logged or serialized. `reveal()` returns it. */
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

/** Form of a Sentry DSN. Sentry's SDK never gets a string of another form, because it would print it in full. */
export const DSN_FORM = /^https?:\/\/\w+(?::\w+)?@[\w.:[\]-]+(?:\/[\w./-]+)?\/\d+$/
