import { readFileSync } from "node:fs"

// Replaces npm in the documentation's commands: it installs nothing and checks that a named script exists.
const [word, name] = process.argv.slice(2)
const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
const isKnown = ["ci", "install", "ls"].includes(word) || word in scripts || (word === "run" && name in scripts)
if (!isKnown) {
  console.error(`npm ${word} ${name ?? ""}: no such script`)
  process.exitCode = 1
}
