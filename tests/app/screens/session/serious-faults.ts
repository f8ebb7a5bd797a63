import axe from "axe-core"
import type { Page } from "playwright-core"

/** What everybody has to be able to read: in light, in dark, and in a window as narrow as a phone's. */
const LOOKS = [
  ["light", "light", 1_440],
  ["dark", "dark", 1_440],
  ["390 px", "light", 390],
] as const

interface Fault {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Serious findings of axe on the open page, and whether it is wider than a narrow window. The page is loaded once for all looks. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the screens' policy lets no script in.
  await page.evaluate(axe.source)
  const faults: string[] = []
  for (const [look, colorScheme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    // What measures itself draws once more, and colours fade over.
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
