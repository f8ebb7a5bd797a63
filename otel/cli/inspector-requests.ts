import { plain } from "../protocol/line-text.ts"
import { COMMAND_USER_AGENT, localUrl } from "../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "./exit.ts"
import type { Connection } from "./options.ts"

/** An inspector answers 503 until its store is ready. The client retries for this long. */
const STARTING_LIMIT_MS = 30_000
const RETRY_MS = 250

/** Requests to an inspector, with one error for each way in which it does not answer as one. */
export class InspectorRequests {
  /** Without a slash at its end. */
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #noticed = new Set<string>()

  /** @throws {CommandError} on an address that is not a URL, a `PORT` that makes none, and a token that no header can carry. */
  constructor({ url, token }: Connection) {
    if (url === localUrl()) requirePort(process.env["PORT"] || "0")
    if (!URL.canParse(url)) throw new CommandError(`--url is ${JSON.stringify(url)}, which is not a URL`, EXIT.usage)
    if (token !== undefined && !/^[\x20-\x7e]*$/.test(token.trim()))
      throw new CommandError("PAGESPAN_TOKEN or --token has characters that no token has", EXIT.usage)
    this.url = url.replace(/(?<!\/)\/+$/, "")
    this.#headers = {
      "user-agent": COMMAND_USER_AGENT,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
  }

  /** The answer's JSON, `undefined` for one without content. Prints its notices. */
  async json<T>(path: string, request?: RequestInit): Promise<T> {
    const response = await this.successful(await this.request(path, request))
    let answer: unknown
    try {
      answer = response.status === 204 ? undefined : await response.json()
    } catch {
      throw this.unreadable(`${path.split("?", 1)[0]} is not JSON`)
    }
    this.#print(answer)
    return answer as T
  }

  /** Prints parameters that the inspector ignored, and probable misspellings, each once. */
  #print(answer: unknown): void {
    const { notices } = (answer ?? {}) as { readonly notices?: unknown }
    for (const notice of Array.isArray(notices) ? notices.map(String) : []) {
      if (!this.#noticed.has(notice)) console.error(`pagespan: ${plain(notice)}`)
      this.#noticed.add(notice)
    }
  }

  /** @throws {CommandError} when nothing answers, or it needs a token. */
  async request(path: string, request: RequestInit = {}): Promise<Response> {
    const deadline = Date.now() + STARTING_LIMIT_MS
    for (;;) {
      const response = await this.#send(path, request)
      if (response.status !== 503 || Date.now() > deadline) return response
      await new Promise((later) => setTimeout(later, RETRY_MS))
    }
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const headers = { ...this.#headers, ...(request.headers as Record<string, string> | undefined) }
    try {
      const response = await fetch(`${this.url}${path}`, { ...request, headers })
      if (response.status !== 401) return response
    } catch (error) {
      if (request.signal?.aborted) throw error
      throw new CommandError(
        `No inspector answers at ${this.url}: start one with pagespan, or set --url to another address`,
        EXIT.unreachable,
      )
    }
    throw new CommandError(`The inspector at ${this.url} requires a token: set PAGESPAN_TOKEN`, EXIT.unreachable)
  }

  /** @throws {CommandError} with the message of an answer that is an error. */
  async successful(response: Response): Promise<Response> {
    if (response.ok) return response
    const message = messageIn(await response.text())
    // Every error of the inspector's own API is JSON with a message.
    if (message === undefined) throw this.unreadable(`it answers ${response.status}`)
    throw new CommandError(`The inspector answered ${response.status}: ${message}`, EXIT.refused)
  }

  /** The error for an answer that no inspector gives. */
  unreadable(problem: string): CommandError {
    return new CommandError(
      `The program at ${this.url} does not answer like an inspector (${problem}): start one with pagespan, or set --url to another address`,
      EXIT.unreachable,
    )
  }
}

function requirePort(port: string): void {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return
  throw new CommandError(
    `PORT is ${JSON.stringify(port)}: must be a port, 0 to 65535, or set --url to the inspector's address`,
    EXIT.usage,
  )
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === "string" ? message : undefined
  } catch {
    return undefined
  }
}
