import { parseArgs } from "node:util"
import { compareMadeSuites, MADE_SUITES } from "./testing/made-suites.ts"
import { ownSuite } from "./testing/own-suite.ts"
import { compareInTurns } from "./testing/turns.ts"

/**
 * `npm run bench:testing -- [--rounds 5] [--only app]`: what the traces of tests cost a suite. Runs four suites in a foreign project
 * with and without Pagespan in turns, and prints what it adds to wall time and to CPU time: the mean of the differences of the
 * pairs, and its standard error. The traces go to a file. The suite `app` opens pages of a Next.js app with Pagespan's tracer, which
 * sends to a Sentry and a collector of the benchmark.
 *
 * `npm run bench:testing -- --project ../shop [--rounds 5] [-- arguments of Vitest]`: the same of your own Vitest suite. Install
 * `dist/pagespan-0.1.0.tgz` in the project first.
 */

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, only: { type: "string" }, project: { type: "string" } },
  allowPositionals: true,
})
const rounds = Number(values.rounds)
if (!(rounds >= 2)) throw new Error(`--rounds takes a number from 2, not ${values.rounds}`)

if (values.project === undefined) {
  const names = MADE_SUITES.filter((name) => values.only === undefined || name === values.only)
  if (names.length === 0) throw new Error(`--only takes ${MADE_SUITES.join(", ")}, not ${values.only}`)
  await compareMadeSuites(names, rounds)
} else {
  const suite = ownSuite(values.project, positionals)
  try {
    await compareInTurns(suite, rounds, () => undefined)
  } finally {
    suite.remove()
  }
}
