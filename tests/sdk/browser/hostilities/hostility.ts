/** What a page may have done to itself before anything else runs, or what its browser may lack. */
export interface Hostility {
  readonly what: string
  /** Runs in the page: a function that closes over nothing, or the source of an expression that makes one. */
  readonly before: string | (() => void)
  /** A content security policy for the document, beside its own. */
  readonly policy?: string
}

const missing = (path: string) => (): void => {
  const [owner, name] = path.includes(".") ? path.split(".") : ["window", path]
  const target = owner === "window" ? window : (window as unknown as Record<string, object>)[owner ?? ""]
  Object.defineProperty(target, name ?? "", { value: undefined, configurable: true, writable: true })
}

const throwing = (path: string) => (): void => {
  const [owner, ...names] = path.split(".")
  let target = window as unknown as Record<string, never>
  for (const name of [owner ?? "", ...names.slice(0, -1)]) if (name !== "window") target = target[name] as never
  Object.defineProperty(target, names.at(-1) ?? "", {
    configurable: true,
    get() {
      // What drives the test asks for `requestIdleCallback` too.
      if (new Error("who asks").stack?.includes("/_next/")) throw new TypeError("not here")
    },
  })
}

/** A page whose browser has no such thing. */
export const lacks = (path: string): Hostility => ({
  what: `without ${path}`,
  before: `(${missing})(${JSON.stringify(path)})`,
})
/** A page in which asking for it throws. */
export const throws = (path: string): Hostility => ({
  what: `whose ${path} throws`,
  before: `(${throwing})(${JSON.stringify(path)})`,
})
