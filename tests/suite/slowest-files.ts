import type { Reporter, TestModule } from "vitest/node"

const SHOWN = 10

/** Prints the ten test files that took longest, so that you see which ones a faster run needs to change. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    const rows = modules
      .map((module) => ({ file: module.relativeModuleId, seconds: durationOf(module) / 1_000 }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN)
    console.log(`\nThe ${SHOWN} slowest files:`)
    for (const { file, seconds } of rows) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
}

/** Milliseconds from the first import of the file to the end of its last hook. */
function durationOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic()
  return collectDuration + duration + setupDuration
}
