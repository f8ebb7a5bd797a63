import { commandPage } from "./command.ts"
import { configurationPage } from "./configuration.ts"
import { dropsPage } from "./drops.ts"

/** The pages that are written from the sources, by path. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/configuration.md", configurationPage()],
    ["docs/reference/drops.md", dropsPage()],
    ["docs/reference/command.md", await commandPage()],
  ])
}
