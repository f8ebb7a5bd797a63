import type { Browser, Page } from "playwright-core"
import type { RunningApp } from "#tests/support/running-app.ts"
import { percentile } from "../percentile.ts"

export interface Bench {
  readonly app: RunningApp
  readonly browser: Browser
  /** The sizes of the traces to open, in spans. */
  readonly spans: readonly number[]
}

/** A row of the printed table. */
export type Line = Readonly<Record<string, string | number>>

export type Scenario = (bench: Bench) => Promise<readonly Line[]>

export const VIEWPORT = { width: 1_440, height: 900 }

/** A page with an empty cache, as on a first visit. */
export async function freshPage({ browser }: Bench): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  // The compiler of this file calls a helper, `__name`, that a page does not have.
  await context.addInitScript("globalThis.__name ??= (named) => named")
  return context.newPage()
}

export function milliseconds(value: number): string {
  return value >= 1_000 ? `${(value / 1_000).toFixed(2)} s` : `${value.toFixed(0)} ms`
}

export function median(times: readonly number[]): number {
  return percentile(times, 0.5)
}
