import type { ChildProcess } from "node:child_process"

/**
 * A session of WebDriver with a browser that Playwright cannot drive as Debian packages it. Commands have the names that Marionette gives
 * those of the W3C's specification.
 */
export interface Driver {
  send(command: Command, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Ends the browser and what it ran in. */
  close(): Promise<void>
}

export type Command =
  | "Back"
  | "ElementClick"
  | "ExecuteAsyncScript"
  | "ExecuteScript"
  | "Navigate"
  | "PerformActions"
  | "SetWindowRect"

/** The key under which WebDriver names an element. */
export const ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

/** Rejects if the program is not there. */
export function started(child: ChildProcess, program: string, debianPackage: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", (cause) =>
      reject(new Error(`The test needs ${program}: install it (apt-get install ${debianPackage})`, { cause })),
    )
  })
}
