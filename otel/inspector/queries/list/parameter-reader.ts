const SHOWN_LIMIT = 40
/** Text of a URL longer than this is a mistake or an attack. Cursors of ours are shorter. */
export const TEXT_LIMIT = 512

const CURSOR = /^[\w.,:;~+/=-]+$/

/** Reads the query parameters of a screen. It never throws: a value that cannot be used is left out and said in `notices`. */
export class ParameterReader {
  /** One sentence for each value that was not used. */
  readonly notices: string[] = []
  readonly #parameters: URLSearchParams

  constructor(parameters: URLSearchParams) {
    this.#parameters = parameters
  }

  /** @param expected what it should have been, for the notice: `a number from 1 to 100`. */
  read<T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined {
    const text = this.#parameters.get(name)?.trim()
    if (!text) return undefined
    const value = parse(text)
    if (value === undefined) this.notices.push(`${name} is ${quoted(text)}, which is not ${expected}`)
    return value
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.read(name, (text) => words.find((word) => word === text), `one of ${words.join(", ")}`)
  }

  text(name: string): string | undefined {
    return this.read(name, shortText, `a text of at most ${TEXT_LIMIT} characters`)
  }

  /** A place in a list, from a `next`. */
  cursor(): string | undefined {
    return this.read("after", (text) => (CURSOR.test(text) ? shortText(text) : undefined), "a place in the list")
  }

  limit(byDefault: number, most: number): number {
    const parse = (text: string) => {
      const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
      return size >= 1 && size <= most ? size : undefined
    }
    return this.read("limit", parse, `a number from 1 to ${most}`) ?? byDefault
  }
}

function shortText(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && !text.includes("\0") ? text : undefined
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_LIMIT ? `${text.slice(0, SHOWN_LIMIT)}…` : text)
}
