import { createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/** Answers every query with one row of one text, in PostgreSQL's wire protocol, version 3. It records the texts of queries. */
export class FakePostgres {
  readonly queries: string[] = []
  readonly #server: Server = createServer((socket) => this.#serve(socket))

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get url(): string {
    return `postgresql://shop:shop@127.0.0.1:${(this.#server.address() as AddressInfo).port}/shop`
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    let pending = Buffer.alloc(0)
    let isStarted = false
    this.#server.once("close", () => socket.destroy())
    socket.on("error", () => undefined)
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        // The first message has no type.
        const offset = isStarted ? 1 : 0
        if (pending.length < offset + 4) return
        const end = offset + pending.readUInt32BE(offset)
        if (pending.length < end) return
        const message = pending.subarray(0, end)
        pending = pending.subarray(end)
        if (!isStarted) socket.write(Buffer.concat([reply("R", int32(0)), READY]))
        else for (const answer of this.#answersTo(message)) socket.write(answer)
        isStarted = true
      }
    })
  }

  #answersTo(message: Buffer): Buffer[] {
    const body = message.subarray(5)
    switch (String.fromCharCode(message[0]!)) {
      case "P": // Parse: name, query
        this.queries.push(textAt(body, body.indexOf(0) + 1))
        return [reply("1")]
      case "B":
        return [reply("2")]
      case "D":
        return [COLUMN]
      case "E":
        return [ROW, reply("C", text("SELECT 1"))]
      case "S":
        return [READY]
      case "Q":
        this.queries.push(textAt(body, 0))
        return [COLUMN, ROW, reply("C", text("SELECT 1")), READY]
      default:
        return []
    }
  }
}

function reply(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function textAt(body: Buffer, start: number): string {
  return body.toString("utf8", start, body.indexOf(0, start))
}

const TEXT_TYPE = 25
const READY = reply("Z", Buffer.from("I"))
/** One column `name` of type text, in text format. */
const COLUMN = reply(
  "T",
  Buffer.concat([int16(1), text("name"), int32(0), int16(0), int32(TEXT_TYPE), int16(-1), int32(-1), int16(0)]),
)
const ROW = reply("D", Buffer.concat([int16(1), int32(3), Buffer.from("tea")]))
