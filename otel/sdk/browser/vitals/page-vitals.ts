import type { PageRoot } from "../roots/page-root.ts"

/** The vitals as they stand, by their lower-case names. They settle after the pageload has ended, some when the page is left. */
export class PageVitals {
  readonly #values = new Map<string, number>()

  remember(name: string, value: number): void {
    this.#values.set(name, value)
  }

  /** Puts what is known by now on the pageload, from where it becomes Sentry's `measurements`. */
  describe(root: PageRoot): void {
    if (root.kind !== "pageload") return
    for (const [name, value] of this.#values) root.span.setAttribute(`browser.web_vital.${name}.value`, value)
  }
}
