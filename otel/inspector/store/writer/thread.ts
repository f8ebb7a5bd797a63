import { parentPort } from "node:worker_threads"
import { type ClickHouse, connect } from "../clickhouse.ts"
import { insertRecords } from "../write/insert-records.ts"
import { endpointOf, orderOf, toFailure, type WriteMessage, type WrittenMessage } from "./messages.ts"

/** The thread in which records become columns: a batch takes a tenth of a second, in which handlers and pages go on. */

let connection:
  | { readonly url: string; readonly password: string | undefined; readonly clickhouse: ClickHouse }
  | undefined

parentPort?.on("message", (message: WriteMessage) => {
  const { id } = message
  insertRecords(connectionOf(message), orderOf(message)).then(
    () => answer({ id, failure: undefined }),
    (error: unknown) => answer({ id, failure: toFailure(error) }),
  )
})

function answer(message: WrittenMessage): void {
  parentPort?.postMessage(message)
}

/** A store process that was started again has another port and password. */
function connectionOf(message: WriteMessage): ClickHouse {
  const { url, password } = message.endpoint
  if (connection?.url === url && connection.password === password) return connection.clickhouse
  void connection?.clickhouse.close()
  connection = { url, password, clickhouse: connect(endpointOf(message)) }
  return connection.clickhouse
}
