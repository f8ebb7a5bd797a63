import { type ChildProcess, spawn } from "node:child_process"
import { onTestFinished } from "vitest"
import { PACKAGED_COMMAND } from "#tests/support/packaged.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"

/** A process of the packaged command. */
class CommandProcess {
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>
  readonly child: ChildProcess
  #output = ""
  #errors = ""

  constructor(words: readonly string[], environment: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [PACKAGED_COMMAND, ...words], {
      env: { ...cleanEnvironment(), ...environment } as unknown as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
    })
    this.child.stdin?.end()
    this.child.stdout?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
    this.child.stderr?.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()))
    this.ended = new Promise((resolve) =>
      this.child.once("close", (code) => resolve({ code, output: this.#output, errors: this.#errors })),
    )
  }

  get output(): string {
    return this.#output
  }

  get errors(): string {
    return this.#errors
  }
}

/** Starts a command that runs until the end of the test. */
export function startCommand(words: readonly string[], environment?: Record<string, string>): CommandProcess {
  const command = new CommandProcess(words, environment)
  onTestFinished(() => void command.child.kill("SIGKILL"))
  return command
}

/** Runs a command to its end. */
export function pagespan(words: readonly string[], environment?: Record<string, string>): CommandProcess["ended"] {
  return new CommandProcess(words, environment).ended
}
