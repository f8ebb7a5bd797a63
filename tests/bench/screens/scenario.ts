import type { Browser, Page } from "playwright-core"
import type { RunningApp } from "#tests/support/running-app.ts"
import { percentile } from "../percentile.ts"

export interface Bench {
  readonly app: RunningApp
  readonly browser: Browser
  /** Sizes of the traces to open. */
  readonly spans: readonly number[]
}

/** A row of the table that is printed. */
export type Line = Readonly<Record<string, string | number>>

export type Scenario = (bench: Bench) => Promise<readonly Line[]>

export const VIEWPORT = { width: 1_440, height: 900 }

/** A page with nothing in its cache, as a person's first visit has it. */
export async function freshPage({ browser }: Bench): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  // What compiles this file names functions by a helper that a page does not have.
  await context.addInitScript("globalThis.__name ??= (named) => named")
  return context.newPage()
}

export function milliseconds(value: number): string {
  return value >= 1_000 ? `${(value / 1_000).toFixed(2)} s` : `${value.toFixed(0)} ms`
}

export function median(times: readonly number[]): number {
  return percentile(times, 0.5)
}
