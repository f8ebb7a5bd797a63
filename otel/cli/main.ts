#!/usr/bin/env node
import { hideBin } from "yargs/helpers"
import { CommandError, EXIT } from "./exit.ts"
import { createParser } from "./parser.ts"
import { version } from "./server/version.ts"

/** `npx pagespan …` */
async function main(): Promise<void> {
  try {
    await createParser(hideBin(process.argv)).version(version()).parseAsync()
  } catch (error) {
    process.exitCode = fail(error)
  }
}

function fail(error: unknown): number {
  if (!(error instanceof Error)) throw error
  const isRecorded = error instanceof CommandError || error.name === "StartError" || error.name === "ConfigError"
  console.error(isRecorded ? error.message : error)
  return error instanceof CommandError ? error.code : EXIT.failed
}

await main()
