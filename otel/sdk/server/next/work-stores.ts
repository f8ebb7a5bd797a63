import Module from "node:module"

/**
 * What Next's server stores in `AsyncLocalStorage` for the App Router, as far as Pagespan reads it: Next has no public form of
 * it. Everything is optional, since another version may lack it: then what needs it is missing, and nothing else.
 */

/** A request that renders a page or runs a route handler. */
export interface WorkStore {
  /** Route of the page or route handler, in bracket form. */
  readonly route?: string
  /** The same with its file, like `/items/[id]/page` or `/api/items/route`. */
  readonly page?: string
  /** Runs a function with `use cache` outside of the request's contexts. */
  runInCleanSnapshot?: CleanSnapshot
}

export type CleanSnapshot = <Result>(work: (...args: unknown[]) => Result, ...args: unknown[]) => Result

/** A part of that work: a request, a prerender, or the run of a function with `use cache`. */
export interface WorkUnitStore {
  readonly type?: string
  readonly phase?: string
  readonly url?: { readonly pathname?: string }
  readonly headers?: { get(name: string): string | null }
}

export interface Storage<Store> {
  getStore(): Store | undefined
  run<Result>(store: Store, work: (...args: unknown[]) => Result, ...args: unknown[]): Result
  exit<Result>(work: () => Result): Result
}

export interface WorkStores {
  readonly works: Storage<WorkStore>
  readonly units: Storage<WorkUnitStore>
}

const WORKS = file("work-async-storage", "workAsyncStorage")
const UNITS = file("work-unit-async-storage", "workUnitAsyncStorage")

function file(name: string, exported: string) {
  return { end: `next/dist/server/app-render/${name}.external.js`, exported }
}

/**
 * Finds the storages among the modules that Node has loaded. An import would make each build fail whose version of Next has no
 * such file, and a bundler could copy it, while the storages must be those that Next's server uses.
 *
 * @returns `undefined` where Next has not loaded them, or has others.
 */
export function workStores(): WorkStores | undefined {
  const works = loaded<WorkStore>(WORKS)
  const units = loaded<WorkUnitStore>(UNITS)
  return works === undefined || units === undefined ? undefined : { works, units }
}

function loaded<Store>({ end, exported }: ReturnType<typeof file>): Storage<Store> | undefined {
  const { _cache: cache = {} } = Module as unknown as { readonly _cache?: Record<string, NodeModule | undefined> }
  const path = Object.keys(cache).find((each) => each.replaceAll("\\", "/").endsWith(end))
  const exports = path === undefined ? undefined : (cache[path]?.exports as Record<string, Storage<Store> | undefined>)
  const storage = exports?.[exported]
  const isUsable = [storage?.getStore, storage?.run, storage?.exit].every((method) => typeof method === "function")
  return isUsable ? storage : undefined
}

/** Next's manifest of server functions, by the name under which Next holds it. */
const MANIFESTS = Symbol.for("next.server.manifests")

interface ServerFunction {
  readonly exportedName?: string
  readonly filename?: string
}

interface Manifests {
  readonly serverActionsManifest?: { readonly node?: Readonly<Record<string, ServerFunction | undefined>> }
}

/** A name that Next's compiler gives to a function which the app does not export, or whose directive is inside of it. */
const GENERATED = /^\$\$[A-Z_]+(\d+)$/

/**
 * A server function by its id: a server action, or a function with `use cache`.
 *
 * @returns its exported name, where the compiler has not replaced it, or else its number among such functions of the file; and
 *   its file, relative to the project or the workspace.
 */
export function serverFunction(id: string): Readonly<Record<"name" | "number" | "file", string | undefined>> {
  const manifests = (globalThis as { [MANIFESTS]?: Manifests })[MANIFESTS]
  const node = manifests?.serverActionsManifest?.node
  const { exportedName, filename } = (node !== undefined && Object.hasOwn(node, id) && node[id]) || {}
  const number = GENERATED.exec(exportedName ?? "")?.[1]
  return { name: number === undefined ? exportedName : undefined, number, file: filename }
}
