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

/** The form of a Sentry DSN. What has another is never handed to Sentry's SDK, which would print it in full. */
export const DSN_FORM = /^https?:\/\/\w+(?::\w+)?@[\w.:[\]-]+(?:\/[\w./-]+)?\/\d+$/
