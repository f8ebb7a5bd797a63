import { spawn } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { browserOptions } from "#tests/support/chromium.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"

/** How the app's own end-to-end tests ended. */
export interface EndToEndRun {
  readonly passed: number
  readonly failed: number
  /** What the command printed. */
  readonly output: string
}

/** The app's own end-to-end tests on both copies. */
export interface EndToEnd {
  readonly without: EndToEndRun
  readonly adopted: EndToEndRun
}

/** `3 passed` and `3 failed` of Playwright, Vitest and Jest, `3 passing` and `3 failing` of Cypress and Mocha. */
const COUNTS = { passed: /\b(\d+) pass(?:ed|ing)\b/g, failed: /\b(\d+) fail(?:ed|ing)\b/g }

/**
 * Runs the app's own end-to-end tests in a copy whose server answers.
 *
 * @param command a shell command. It gets the server's address as Playwright's `PLAYWRIGHT_TEST_BASE_URL`, as Cypress's
 * `CYPRESS_BASE_URL`, and its port as `PORT`. `CHROMIUM_PATH` is the Chromium of the comparison.
 * @throws {Error} with the output, if it does not say how many tests passed or failed.
 */
export async function runEndToEnd(
  directory: string,
  command: string,
  origin: string,
  environment: Readonly<Record<string, string>>,
): Promise<EndToEndRun> {
  const address = { PLAYWRIGHT_TEST_BASE_URL: origin, CYPRESS_BASE_URL: origin, PORT: new URL(origin).port }
  const chromium = { CHROMIUM_PATH: browserOptions().executablePath }
  const env = { ...cleanEnvironment(), ...environment, ...address, ...chromium } as unknown as NodeJS.ProcessEnv
  const child = spawn(command, { cwd: directory, env, shell: true, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await new Promise((resolve) => child.once("close", resolve))
  return { ...countsOf(output), output }
}

/**
 * Counts of the last summary in the output of a test runner.
 *
 * @throws {Error} with the output, if it has none.
 */
export function countsOf(output: string): Pick<EndToEndRun, "passed" | "failed"> {
  const plain = stripVTControlCharacters(output)
  const last = (pattern: RegExp) => [...plain.matchAll(pattern)].at(-1)?.[1]
  const [passed, failed] = [last(COUNTS.passed), last(COUNTS.failed)]
  if (passed === undefined && failed === undefined)
    throw new Error(`the end-to-end tests do not say how many passed:\n${output}`)
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) }
}
