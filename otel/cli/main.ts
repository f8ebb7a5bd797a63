#!/usr/bin/env node
import { hideBin } from "yargs/helpers"
import { reportError } from "./exit.ts"
import { createParser } from "./parser.ts"
import { version } from "./version.ts"

/** `npx pagespan …` */
async function main(): Promise<void> {
  try {
    await createParser(hideBin(process.argv)).version(version()).parseAsync()
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

await main()
