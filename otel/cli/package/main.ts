import { writeFileSync } from "node:fs"

/** What the npm scripts `build`, `package` and `reference` make, by the name of the script, and `npm start` before it runs. */
const TASKS: Readonly<Record<string, () => Promise<void>>> = {
  async build() {
    const { build, whileBuilding } = await import("../server/build.ts")
    await whileBuilding(process.cwd(), () => build(process.cwd()))
  },
  async package() {
    const { buildPackage } = await import("./build.ts")
    console.log(`The package is in ${await buildPackage(process.cwd())}`)
  },
  async programs() {
    const { bundleCheckout } = await import("./programs.ts")
    const [target] = process.argv.slice(3)
    if (target === undefined) throw new Error("expected the directory of the bundle")
    await bundleCheckout(process.cwd(), target)
  },
  async reference() {
    const { referencePages } = await import("./reference/pages.ts")
    for (const [path, text] of await referencePages()) writeFileSync(path, text)
  },
}

const task = TASKS[process.argv[2] ?? ""]
if (task === undefined) throw new Error(`expected one of ${Object.keys(TASKS).join(", ")}`)
await task()
