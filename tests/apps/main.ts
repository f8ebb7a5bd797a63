import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { BUNDLERS } from "./bundlers.ts"
import { type ComparedApp, compareApp } from "./compare-app.ts"
import { featuresOf } from "./features.ts"
import { runMatrix } from "./matrix/main.ts"
import { runPublic } from "./public/main.ts"
import { isRight, problems, TABLE_HEAD, tableRow } from "./table.ts"

/**
 * `npm run test:apps -- ../shop`: adopts Pagespan in a copy of the app, builds it with and without, opens the same pages of
 * both in Chromium, and prints what differs and a row of the table in `docs/reference/compatibility.md`. Without a directory
 * it compares apps of this repository. The app's packages must be installed, with npm or pnpm.
 *
 * With `--matrix` it tries versions, bundlers and deployments on an app of this repository and writes their table into that
 * page, and with `--newest` the newest versions that the registry has, of which it prints what broke. Words behind it, like
 * `export` or `canary`, choose some of them.
 *
 * With `--public` it fetches apps that others published, prints what it changes in them, compares each by both bundlers, or by
 * that of `--bundler`, and writes their rows into the same page. Words behind it are names of the catalogue `tests/apps/public`.
 *
 *     --from DIRECTORY        Fetches from the bare clones DIRECTORY/owner+name/repo. Default: from GitHub
 *     --table FILE            Writes the rows of `--matrix` or `--newest` into a file too, as a table
 *     --bundler webpack       Default: turbopack
 *     --load /items/7         A path to load; can be repeated. Default: the pages without parameters
 *     --links 2               How many links of each page to follow. Default: 4
 *     --env NAME=VALUE        A variable of build and server; can be repeated. `{dsn}` is the DSN of a Sentry that records
 *     --after-init COMMAND    Does in the adopted copy what `init` leaves to the owner
 *     --e2e COMMAND           Runs the app's own end-to-end tests, in both copies while their servers answer
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bundler: { type: "string" },
    load: { type: "string", multiple: true },
    links: { type: "string", default: "4" },
    env: { type: "string", multiple: true, default: [] },
    "after-init": { type: "string" },
    e2e: { type: "string" },
    matrix: { type: "boolean", default: false },
    newest: { type: "boolean", default: false },
    public: { type: "boolean", default: false },
    from: { type: "string" },
    table: { type: "string" },
  },
})
if (values.matrix || values.newest)
  process.exit((await runMatrix(values.matrix ? "matrix" : "newest", positionals, values.table)) ? 0 : 1)

const bundlers = BUNDLERS.filter((each) => values.bundler === undefined || values.bundler === each)
if (bundlers.length === 0) throw new Error(`--bundler is turbopack or webpack, not ${values.bundler}`)
if (values.public) process.exit((await runPublic(positionals, bundlers, values.from && resolve(values.from))) ? 0 : 1)
const bundler = bundlers[0]!

const OWN_APPS: readonly Pick<ComparedApp, "directory" | "environment" | "loads">[] = [
  { directory: "compared", loads: ["/", "/team", "/items/7?from=mail", "/no-such-page"] },
  // Not `/broken`, where `init` adds the error view that the app lacks.
  {
    directory: "with-sentry",
    loads: ["/", "/items/7", "/no-such-page"],
    environment: { NEXT_PUBLIC_SENTRY_DSN: "{dsn}" },
  },
].map((app) => ({ ...app, directory: join(import.meta.dirname, "../package/apps", app.directory) }))

const given = {
  environment: Object.fromEntries(values.env.map(variable)),
  ...(values.load && { loads: values.load }),
  afterInit: values["after-init"],
  endToEnd: values.e2e,
}
const apps = positionals.length === 0 ? OWN_APPS : positionals.map((path) => ({ directory: resolve(path), ...given }))
const rows: string[] = []
for (const app of apps) {
  const compared = await compareApp({ ...app, bundler, links: Number(values.links) })
  const { name } = JSON.parse(readFileSync(join(app.directory, "package.json"), "utf8")) as { name?: string }
  for (const problem of problems(compared)) console.log(`${name ?? app.directory}: ${problem}`)
  const shown = { name: name ?? app.directory, bundler, features: featuresOf(app.directory) }
  rows.push(tableRow(shown, compared))
  if (!isRight(compared)) process.exitCode = 1
}
console.log([...TABLE_HEAD, ...rows].join("\n"))

function variable(text: string): [string, string] {
  const [name, ...value] = text.split("=")
  return [name!, value.join("=")]
}
