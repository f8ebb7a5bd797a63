import { parentPort } from "node:worker_threads"
import { type ClickHouse, connect } from "../clickhouse.ts"
import { insertRecords } from "./insert-records.ts"
import { SpareBlock } from "./span-blocks.ts"
import { endpointOf, orderOf, toFailure, type WriteMessage, type WrittenMessage } from "./writer.ts"

/** The thread in which records become columns: a batch takes a tenth of a second, which would block handlers and pages. */

let connection:
  | { readonly url: string; readonly password: string | undefined; readonly clickhouse: ClickHouse }
  | undefined

const spare = new SpareBlock()

parentPort?.on("message", (message: WriteMessage) => {
  const { id, bytes } = message
  insertRecords(connectionOf(message), orderOf(message), spare).then(
    () => respond({ id, failure: undefined, bytes }),
    (error: unknown) => respond({ id, failure: toFailure(error), bytes }),
  )
})

function respond(message: WrittenMessage): void {
  parentPort?.postMessage(message, [message.bytes.buffer])
}

/** A restarted store process has another port and password. */
function connectionOf(message: WriteMessage): ClickHouse {
  const { url, password } = message.endpoint
  if (connection?.url === url && connection.password === password) return connection.clickhouse
  void connection?.clickhouse.close()
  connection = { url, password, clickhouse: connect(endpointOf(message)) }
  return connection.clickhouse
}
