#!/usr/bin/env node
import { hideBin } from "yargs/helpers"
import { CommandError, EXIT } from "./exit.ts"
import { createParser } from "./parser.ts"
import { version } from "./version.ts"

/** `npx pagespan …` */
async function main(): Promise<void> {
  try {
    await createParser(hideBin(process.argv)).version(version()).parseAsync()
  } catch (error) {
    process.exitCode = fail(error)
  }
}

/** Prints an expected error as one message and an unexpected one with its stack. */
function fail(error: unknown): number {
  if (!(error instanceof Error)) throw error
  const isExpected = error instanceof CommandError || error.name === "StartError" || error.name === "ConfigError"
  console.error(isExpected ? error.message : error)
  return error instanceof CommandError ? error.code : EXIT.failed
}

await main()
