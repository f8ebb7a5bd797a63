import { connect, type Socket } from "node:net"
import type { LoadRequest } from "./loads.ts"

export interface Answer {
  readonly status: number
  readonly ms: number
  readonly retryAfter: boolean
}

/**
 * A persistent connection for one request at a time. It writes to the socket directly, since the sender shares two cores
 * with the server and Node's client takes twice as long per request.
 */
export class Connection {
  #answered: (head: string) => void = () => undefined
  #failed: (error: Error) => void = () => undefined
  #received = ""
  #isClosed = false

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setNoDelay(true)
    socket.setEncoding("latin1")
    socket.on("data", (text: string) => this.#take(text))
    socket.on("error", (error) => this.#failed(error))
    socket.on("close", () => {
      this.#isClosed = true
      this.#failed(new Error("the server has closed the connection"))
    })
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port, host } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.once("error", reject)
      socket.once("connect", () => resolve(new Connection(socket, host)))
    })
  }

  /** Whether the server has closed it, as it does with idle ones. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  async post({ path, headers, body }: LoadRequest): Promise<Answer> {
    const start = performance.now()
    const lines = Object.entries({ host: this.host, ...headers, "content-length": String(body.length) })
    const headerLines = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
    const head = await new Promise<string>((resolve, reject) => {
      this.#answered = resolve
      this.#failed = reject
      this.socket.cork()
      this.socket.write(`POST ${path} HTTP/1.1\r\n${headerLines}\r\n`, "latin1")
      this.socket.write(body)
      this.socket.uncork()
    })
    const ms = performance.now() - start
    return { status: Number(head.slice(9, 12)), ms, retryAfter: /^retry-after:/im.test(head) }
  }

  close(): void {
    this.#failed = () => undefined
    this.socket.destroy()
  }

  #take(text: string): void {
    this.#received += text
    const end = this.#received.indexOf("\r\n\r\n")
    if (end === -1) return
    const head = this.#received.slice(0, end)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    const isWhole =
      length === undefined ? text.endsWith("0\r\n\r\n") : this.#received.length >= end + 4 + Number(length)
    if (!isWhole) return
    this.#received = ""
    this.#answered(head)
  }
}
