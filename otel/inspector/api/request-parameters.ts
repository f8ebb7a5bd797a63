import { shown } from "../queries/list/parameter-reader.ts"

/** More sentences than these help nobody. */
const UNREAD_LIMIT = 10

/** The query parameters of a request. They know which of them were read, so that the answer names the others. */
export class RequestParameters extends URLSearchParams {
  readonly #read = new Set<string>()

  constructor(request: Request) {
    super(new URL(request.url).search)
  }

  override get(name: string): string | null {
    this.#read.add(name)
    return super.get(name)
  }

  override has(name: string, value?: string): boolean {
    this.#read.add(name)
    return super.has(name, value)
  }

  /**
   * Call it once the handler has read what it needs.
   *
   * @param notices one sentence for each value that was ignored.
   * @returns these, and one sentence for each parameter that was not read.
   */
  noticesWith(notices: readonly string[] = []): string[] {
    const unread = [...new Set(this.keys())].filter((name) => !this.#read.has(name)).slice(0, UNREAD_LIMIT)
    return [...notices, ...unread.map((name) => `${shown(name)} is not a parameter of this request`)]
  }
}
