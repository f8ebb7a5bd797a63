import { AsyncLocalStorage } from "node:async_hooks"
import { Server } from "node:http"
import { threadId } from "node:worker_threads"

/**
 * Loaded into a server by `--import`: a host that stops the process (SIGSTOP) when every response is out and everything that
 * requests passed to `waitUntil` has settled, as serverless hosts do. It prints one line for each of these moments.
 */
const requests = new AsyncLocalStorage()
const emit = Server.prototype.emit
let running = 0

globalThis[Symbol.for("@next/request-context")] = { get: () => requests.getStore() }

function print(line) {
  process.stdout.write(`host: ${line}\n`)
}

async function onClosed(path, pending) {
  print(`response of ${path} is out`)
  while (pending.size > 0) await Promise.allSettled(pending)
  print(`all of ${path} has settled`)
  running -= 1
  if (running > 0) return
  print(`stops ${process.pid}`)
  process.kill(process.pid, "SIGSTOP")
}

if (threadId === 0)
  Server.prototype.emit = function emitInContext(event, ...rest) {
    if (event !== "request") return emit.call(this, event, ...rest)
    const [{ url }, response] = rest
    const pending = new Set()
    const waitUntil = (work) => {
      pending.add(work)
      const forget = () => pending.delete(work)
      work.then(forget, forget)
    }
    running += 1
    response.once("close", () => void onClosed(url, pending))
    return requests.run({ waitUntil }, () => emit.call(this, event, ...rest))
  }
