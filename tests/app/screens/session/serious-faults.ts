import axe from "axe-core"
import type { Page } from "playwright-core"

/** Looks in which every screen must be accessible: light and dark, at 1440 and at 390 px. */
const LOOKS = [
  ["light", "light", 1_440],
  ["dark", "dark", 1_440],
  ["390 px", "light", 390],
  ["390 px, dark", "dark", 390],
] as const

interface Fault {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Serious axe violations of the open page, and horizontal overflow at 390 px. Loads the page once for all looks. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated, because the content security policy blocks script elements.
  await page.evaluate(axe.source)
  const faults: string[] = []
  for (const [look, colorScheme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    // Charts redraw after a resize, and colours have transitions.
    await page.waitForTimeout(200)
    faults.push(...(await page.evaluate(findings)).map((finding) => `${look}: ${finding}`))
    const needed = await page.evaluate(() => document.documentElement.scrollWidth)
    if (needed > width) faults.push(`${look}: ${needed} px wide`)
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize({ width: 1_440, height: 900 })
  return faults
}

/** Runs in the page, after axe. */
async function findings(): Promise<string[]> {
  const { axe: inPage } = window as unknown as { axe: { run(...how: unknown[]): Promise<{ violations: Fault[] }> } }
  const { violations } = await inPage.run(document, { resultTypes: ["violations"] })
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`)
}
