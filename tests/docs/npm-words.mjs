import { readFileSync } from "node:fs"

// Stands in for npm in the documentation's commands: nothing is installed, but a script must be there.
const [word, name] = process.argv.slice(2)
const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
const isKnown = ["ci", "install", "ls"].includes(word) || word in scripts || (word === "run" && name in scripts)
if (!isKnown) {
  console.error(`npm ${word} ${name ?? ""}: there is no such script`)
  process.exitCode = 1
}
