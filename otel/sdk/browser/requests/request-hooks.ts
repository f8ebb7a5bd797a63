import { safely } from "../../../protocol/safely.ts"
import type { Tracing } from "../tracing.ts"
import type { FetchArguments } from "./outgoing-request.ts"
import type { Fetch } from "./traced-request.ts"
import type { XhrCall } from "./traced-xhr.ts"

/** Of `open` and of `setRequestHeader`. */
type Arguments = [string, string]
type Method = (...args: Arguments) => void

/**
 * Hooks the page's `fetch`.
 *
 * @param started starts tracing with the first request.
 * @returns restores the page's own `fetch`.
 */
export function hookFetch(started: () => Tracing | undefined): () => void {
  return patch<"fetch", Fetch>(
    window,
    "fetch",
    (native) =>
      function (this: unknown, ...args: FetchArguments) {
        return started()?.fetch(native, this, args) ?? Reflect.apply(native, this, args)
      },
  )
}

/**
 * Hooks the page's `XMLHttpRequest`s.
 *
 * @param started starts tracing with the first request.
 * @returns restores the page's own methods.
 */
export function hookXhr(started: () => Tracing | undefined): () => void {
  const { prototype } = XMLHttpRequest
  const calls = new WeakMap<XMLHttpRequest, XhrCall>()
  const endWithoutEvent = (xhr: XMLHttpRequest, type: "error" | "abort") =>
    calls.get(xhr)?.onEvent?.({ type, timeStamp: performance.now() })
  const before = (name: "open" | "setRequestHeader" | "send", note: (xhr: XMLHttpRequest, args: Arguments) => void) =>
    patch<typeof name, Method>(
      prototype,
      name,
      (native) =>
        function (this: XMLHttpRequest, ...args: Arguments) {
          safely(() => note(this, args))
          try {
            Reflect.apply(native, this, args)
          } catch (error) {
            // A synchronous request fails with an exception.
            endWithoutEvent(this, "error")
            throw error
          }
        },
    )
  const restore = [
    before("open", (xhr, args) => {
      // Reopening aborts the request in flight.
      endWithoutEvent(xhr, "abort")
      calls.set(xhr, { args: args.map(String) as Arguments, headers: new Headers() })
    }),
    before("setRequestHeader", (xhr, args) => calls.get(xhr)?.headers.append(...args)),
    before("send", (xhr) => {
      const call = calls.get(xhr)
      if (call !== undefined) started()?.xhr(xhr, call)
    }),
  ]
  return () => restore.forEach((each) => each())
}

/** Builds the replacement of a function. */
type Wrap<F> = (native: F) => F

/**
 * Replaces a function of the page.
 *
 * @returns restores it. Where other code has patched it since, ours stays below that patch and only forwards.
 * @throws {TypeError} where the page has frozen it.
 */
function patch<K extends string, F extends (this: never, ...args: never[]) => unknown>(
  owner: Record<K, F>,
  name: K,
  wrap: Wrap<F>,
): () => void {
  const native = owner[name]
  let target = wrap(native)
  const patched = function (this: unknown, ...args: unknown[]) {
    return Reflect.apply(target, this, args)
  } as unknown as F
  owner[name] = patched
  return () => {
    target = native
    if (owner[name] === patched) owner[name] = native
  }
}
