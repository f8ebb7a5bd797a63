#!/usr/bin/env node
import { hideBin } from "yargs/helpers"
import { reportError } from "./exit.ts"
import { createParser } from "./parser.ts"
import { version } from "./version.ts"

// A reader such as `head` has what it wants, and the rest of the output has nowhere to go.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

/** `npx pagespan …` */
async function main(): Promise<void> {
  try {
    await createParser(hideBin(process.argv)).version(version()).parseAsync()
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

await main()
