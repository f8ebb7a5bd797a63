import type { Browser } from "playwright-core"
import { sleep, waitFor } from "../wait-for.ts"
import { type Driver, ELEMENT } from "./driver.ts"

type Script<T> = (argument: T) => unknown

/** Selectors of the roles that tests name. */
const ROLES = { button: "button", heading: "h1, h2, h3", link: "a" } as const

/** WebDriver's codes of keys without a character. */
const KEYS: Readonly<Record<string, string>> = { Enter: "\uE007" }

const FIND = `
const [selector, name, isExact] = arguments
const isNamed = (text) => name === null || (isExact ? text === name : text.includes(name))
return [...document.querySelectorAll(selector)].find((one) => one.checkVisibility() && isNamed(one.textContent.trim()))`

/**
 * A page of a browser that WebDriver drives, with the methods of Playwright's page that the tests of `tests/sdk/browser` call, so that the
 * same tests run in it. The browser has one page: a context is a visitor, whose session ends before that of the next one begins.
 */
class RemotePage {
  readonly #driver: Driver
  #isBlank = true

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async goto(url: string): Promise<void> {
    if (url === "about:blank") await this.leave()
    else await this.#navigate(url)
  }

  /** Ends a visit. */
  async leave(): Promise<void> {
    if (this.#isBlank) return
    // A page that did not load has no storage.
    await this.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    }).catch(() => undefined)
    await this.#navigate("about:blank")
    this.#isBlank = true
  }

  async #navigate(url: string): Promise<void> {
    this.#isBlank = false
    await this.#driver.send("Navigate", { url })
  }

  async goBack(): Promise<void> {
    await this.#driver.send("Back")
  }

  async setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void> {
    await this.#driver.send("SetWindowRect", size)
  }

  async evaluate<T>(script: Script<T>, argument?: T): Promise<unknown> {
    const body = `
      const [argument, done] = arguments
      Promise.resolve()
        .then(() => (${script.toString()})(argument))
        .then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const parameters = { script: body, args: [argument ?? null] }
    const answer = (await this.#driver.send("ExecuteAsyncScript", parameters)) as { value?: unknown; error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.value
  }

  async waitForFunction<T>(script: Script<T>, argument?: T): Promise<void> {
    // Between two documents there is nothing to ask.
    await waitFor(script.toString(), () => this.evaluate(script, argument).then(Boolean, () => false))
  }

  waitForTimeout(milliseconds: number): Promise<void> {
    return sleep(milliseconds)
  }

  /** Not the response itself, which WebDriver does not report. */
  waitForResponse(): Promise<void> {
    return sleep(500)
  }

  getByRole(
    role: keyof typeof ROLES,
    { name, exact = false }: { readonly name?: string; readonly exact?: boolean } = {},
  ) {
    const find = () =>
      waitFor(`the ${role} ${name}`, async () => {
        const args = [ROLES[role], name ?? null, exact]
        const found = (await this.#driver.send("ExecuteScript", { script: FIND, args })) as Record<
          string,
          string
        > | null
        return found?.[ELEMENT]
      })
    return {
      click: async () => void (await this.#driver.send("ElementClick", { id: await find() })),
      dblclick: async () => void (await this.#driver.send("PerformActions", doubleClick(await find()))),
      waitFor: async () => void (await find()),
    }
  }

  readonly keyboard = {
    press: async (key: string): Promise<void> => {
      const actions = ["keyDown", "keyUp"].map((type) => ({ type, value: KEYS[key] ?? key }))
      await this.#driver.send("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] })
    },
  }

  /** WebDriver reports none of a page's events. */
  on(): void {}

  context() {
    return { newPage: () => Promise.resolve(this), close: () => this.leave() }
  }
}

function doubleClick(id: string) {
  const click = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }))
  const move = { type: "pointerMove", x: 0, y: 0, duration: 0, origin: { [ELEMENT]: id } }
  return { actions: [{ type: "pointer", id: "mouse", actions: [move, ...click, ...click] }] }
}

/** A browser for tests that are written for Playwright's. A method that `RemotePage` does not have is no function. */
export function remoteBrowser(driver: Driver): Browser {
  const page = new RemotePage(driver)
  const browser = {
    newContext: async () => {
      await page.leave()
      return page.context()
    },
    close: () => driver.close(),
  }
  return browser as unknown as Browser
}
