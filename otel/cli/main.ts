#!/usr/bin/env node
import { hideBin } from "yargs/helpers"
import { CommandError, EXIT } from "./exit.ts"
import { createParser } from "./parser.ts"
import { version } from "../command/version.ts"

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
  const isTold = error instanceof CommandError || error.name === "StartError" || error.name === "ConfigError"
  console.error(isTold ? error.message : error)
  return error instanceof CommandError ? error.code : EXIT.failed
}

await main()
