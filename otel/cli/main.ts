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
    const words = hideBin(process.argv)
    const parser = createParser(words).version(version())
    if (words[0] === "completion") parser.showCompletionScript()
    else await parser.parseAsync()
  } catch (error) {
    process.exitCode = reportError(error)
  }
}

await main()
