export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

/**
 * The events of a stream, until it ends. Comments and fields other than `event` and `data` are left out.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const blocks = (rest + text).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = parse(block)
      if (event !== undefined) yield event
    }
  }
}

function parse(block: string): ServerSentEvent | undefined {
  const read = (field: string) =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${field}: `))
      .map((line) => line.slice(field.length + 2))
  const data = read("data")
  return data.length === 0 ? undefined : { event: read("event")[0] ?? "message", data: data.join("\n") }
}
