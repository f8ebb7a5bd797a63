/** Rows of a list on a page: by default, and at most. */
export const LIST_PAGE_SIZE = 100
export const LIST_PAGE_LIMIT = 1_000

const SHOWN_LENGTH = 40
/** Longer text in a URL is a mistake or an attack. Pagespan's own cursors have under 100 characters. */
const TEXT_LIMIT = 512

/** Reads the query parameters of a screen or of the read API. Never throws: it ignores an invalid value and adds a notice. */
export class ParameterReader {
  /** One sentence for each value that was ignored. */
  readonly notices: string[] = []
  /** The notice of an invalid cursor. A screen shows the first page; a program that follows `next` would read it forever. */
  refusal: string | undefined
  readonly #parameters: URLSearchParams

  constructor(parameters: URLSearchParams) {
    this.#parameters = parameters
  }

  /** @param expected completes the notice, like `a number from 1 to 100`. */
  read<T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined {
    const text = this.#parameters.get(name)?.trim()
    if (!text) return undefined
    const value = parse(text)
    if (value === undefined) this.notices.push(`${name} is ${shown(text)}, which is not ${expected}`)
    return value
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.read(name, (text) => words.find((word) => word === text), `one of ${words.join(", ")}`)
  }

  text(name: string): string | undefined {
    return this.read(name, shortText, `a text of at most ${TEXT_LIMIT} characters`)
  }

  /**
   * The `after` parameter: `next` of the previous page.
   *
   * @param isOfList whether the text is a cursor of the list that is read.
   */
  cursor(isOfList: (text: string) => boolean): string | undefined {
    const expected = "next of a page of this list in this order"
    const { length } = this.notices
    const cursor = this.read("after", (text) => (shortText(text) && isOfList(text) ? text : undefined), expected)
    this.refusal = this.notices[length]
    return cursor
  }

  limit(defaultSize: number, max: number): number {
    const parse = (text: string) => {
      const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
      return size >= 1 && size <= max ? size : undefined
    }
    return this.read("limit", parse, `a number from 1 to ${max}`) ?? defaultSize
  }
}

function shortText(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && !text.includes("\0") ? text : undefined
}

/** Text from a URL as a notice shows it. */
export function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text)
}
