import { type Span, trace } from "@opentelemetry/api"
import { ATTR_CODE_FILE_PATH, ATTR_CODE_FUNCTION_NAME, ATTR_HTTP_ROUTE } from "@opentelemetry/semantic-conventions"
import { safely } from "../../../protocol/safely.ts"
import { recordFailure, unclaimedActions } from "../trace-action.ts"
import { serverFunction, type WorkStores, type WorkUnitStore } from "./work-stores.ts"

/** Stands for the name of an action that the app does not export, and of one that a form without JavaScript runs. */
const UNNAMED = "inline"

/**
 * Makes a span for each server action, named after the action and its route: Next makes none. The span is active while the
 * action runs. `traceAction` within it gives it a name and does not make a second one.
 */
export function traceActions({ works, units }: WorkStores): void {
  const run = units.run
  const begun = new WeakSet<WorkUnitStore>()
  units.run = function (store, work, ...args) {
    const route = safely(() => (begun.has(store) ? undefined : routeOfAction(store, works.getStore())))
    if (route === undefined) return run.call(units, store, work, ...args) as ReturnType<typeof work>
    begun.add(store)
    const action = () => work(...args)
    return run.call(units, store, () => inSpan(store, route, action)) as ReturnType<typeof work>
  }
}

/** The route whose server action starts in this store. A route handler starts in the same phase. */
function routeOfAction(
  store: WorkUnitStore | undefined,
  work: ReturnType<WorkStores["works"]["getStore"]>,
): string | undefined {
  const isAction = store?.type === "request" && store.phase === "action" && work?.page?.endsWith("/page") === true
  return isAction ? work.route : undefined
}

function inSpan<Result>(store: WorkUnitStore, route: string, action: () => Result): Result {
  let result: { value: Result } | undefined
  let thrown: { error: unknown } | undefined
  safely(() => {
    const { name, attributes } = describe(store, route)
    trace.getTracer("pagespan").startActiveSpan(name, { attributes }, (span) => {
      safely(() => unclaimedActions().add(span))
      try {
        result = { value: action() }
        end(span, result.value)
      } catch (error) {
        thrown = { error }
        safely(() => recordFailure(span, error))
        span.end()
      }
    })
  })
  if (thrown !== undefined) throw thrown.error
  // Without a span the action runs all the same.
  return result === undefined ? action() : result.value
}

function describe(store: WorkUnitStore, route: string) {
  const { name, file } = serverFunction(store.headers?.get("next-action") ?? "")
  const attributes = {
    "sentry.op": "function.server_action",
    [ATTR_HTTP_ROUTE]: route,
    ...(name === undefined ? {} : { [ATTR_CODE_FUNCTION_NAME]: name }),
    ...(file === undefined ? {} : { [ATTR_CODE_FILE_PATH]: file }),
  }
  return { name: `serverAction/${name ?? UNNAMED} ${route}`, attributes }
}

/** Ends the span once the action's promise has settled. Its result is never touched. */
function end(span: Span, result: unknown): void {
  Promise.resolve(result).then(
    () => span.end(),
    (error: unknown) => {
      safely(() => recordFailure(span, error))
      span.end()
    },
  )
}
