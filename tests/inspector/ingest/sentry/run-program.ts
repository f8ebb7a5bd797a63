import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished } from "vitest"

/**
 * Runs a program of this folder with Sentry's SDK of another language, to its end.
 *
 * @param interpreter its path, `undefined` if the language or its SDK is missing.
 * @returns what the SDK logged to stderr.
 */
export async function runProgram(interpreter: string | undefined, file: string, dsn: string): Promise<string> {
  if (interpreter === undefined) throw new Error(`${file} needs its language with Sentry's SDK`)
  const program = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(interpreter, [program, dsn], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {} as NodeJS.ProcessEnv,
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let logged = ""
  child.stderr.on("data", (chunk: Buffer) => (logged += chunk.toString()))
  const [code] = await once(child, "close")
  expect([code, code === 0 ? "" : logged]).toEqual([0, ""])
  return logged
}
