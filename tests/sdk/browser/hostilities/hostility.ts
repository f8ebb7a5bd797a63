/** A change that a page made to its globals before any other script, or a feature that its browser lacks. */
export interface Hostility {
  readonly what: string
  /** Runs in the page: a function without closure, or the source of an expression that returns one. */
  readonly before: string | (() => void)
  /** An additional content security policy for the document. */
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
      // Playwright uses `requestIdleCallback` too.
      if (new Error("who asks").stack?.includes("/_next/")) throw new TypeError("not here")
    },
  })
}

/** A page whose browser lacks this global. */
export const lacks = (path: string): Hostility => ({
  what: `without ${path}`,
  before: `(${missing})(${JSON.stringify(path)})`,
})
/** A page in which reading this global throws. */
export const throws = (path: string): Hostility => ({
  what: `whose ${path} throws`,
  before: `(${throwing})(${JSON.stringify(path)})`,
})
