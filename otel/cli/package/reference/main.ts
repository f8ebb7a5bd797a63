import { writeFileSync } from "node:fs"
import { referencePages } from "./pages.ts"

/** `npm run reference` */
async function main(): Promise<void> {
  for (const [path, text] of await referencePages()) writeFileSync(path, text)
}

void main()
