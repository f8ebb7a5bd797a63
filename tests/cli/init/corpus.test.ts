import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type InitPlan, planInit } from "#otel/cli/init/plan.ts"
import { CONFIGS } from "./corpus/configs.ts"
import { type CorpusStyle, describeStyle, type Form, inStyle, PLAIN, STYLES } from "./corpus/forms.ts"
import { IMPORTED, writePackages } from "./corpus/packages.ts"
import { ERROR_VIEWS, INSTRUMENTATIONS, LAYOUTS, PROXIES, SENTRY_INITS } from "./corpus/sources.ts"

/**
 * A corpus of apps: each holds one form of each file that `init` edits. Every app is adopted in the plain style and in five
 * others. What its files mean is checked in the plain style, by TypeScript and by running them; in each other style the
 * result must be, byte for byte, the plain one in that style.
 */

const execute = promisify(execFile)
const KINDS = {
  "next.config": CONFIGS,
  instrumentation: INSTRUMENTATIONS,
  layout: LAYOUTS,
  error: ERROR_VIEWS,
} as const
const OTHERS = { proxy: PROXIES, sentry: SENTRY_INITS } as const
type Kind = keyof typeof KINDS | keyof typeof OTHERS
const FORMS: Readonly<Record<Kind, readonly Form[]>> = { ...KINDS, ...OTHERS }
const KIND_NAMES = Object.keys(FORMS) as Kind[]
const COUNT = Math.max(...KIND_NAMES.map((kind) => FORMS[kind].length))
const STYLES_PER_APP = 5
const MANIFEST = `{ "name": "shop", "dependencies": { "@sentry/nextjs": "11", "pagespan": "0.1.0" } }`
const TSCONFIG = { include: ["**/*.ts", "**/*.tsx"] }

interface App {
  readonly style: CorpusStyle
  readonly directory: string
  readonly forms: Readonly<Record<Kind, Form>>
  readonly plan: InitPlan
  /** By kind, `undefined` if `init` does not edit the file. */
  readonly after: Readonly<Record<string, string | undefined>>
}

let root: string
const apps: App[] = []
const styled: App[] = []

function formsOf(index: number): Record<Kind, Form> {
  return Object.fromEntries(KIND_NAMES.map((kind) => [kind, FORMS[kind][index % FORMS[kind].length]!])) as Record<
    Kind,
    Form
  >
}

/** Writes an app, and beside it nothing but what its forms import. */
function adopt(name: string, forms: Readonly<Record<Kind, Form>>, style: CorpusStyle): App {
  const directory = join(root, name)
  const written = Object.values(forms).map(({ path, text }) => [path, inStyle(text, style)] as const)
  const files = {
    "package.json": MANIFEST,
    "tsconfig.json": JSON.stringify(TSCONFIG),
    ...IMPORTED,
    ...Object.fromEntries(written),
  }
  for (const [path, text] of Object.entries(files)) write(directory, path, text)
  const plan = planInit(directory)!
  const after = Object.fromEntries(
    Object.entries(forms).map(([kind, { path }]) => [kind, plan.edits.find((edit) => edit.path === path)?.after]),
  )
  return { style, directory, forms, plan, after }
}

function write(directory: string, path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "pagespan-corpus-"))
  writePackages(root)
  for (let index = 0; index < COUNT; index++) apps.push(adopt(`before-${index}`, formsOf(index), PLAIN))
  for (const [index, { forms, plan }] of apps.entries()) {
    adopt(`after-${index}`, forms, PLAIN)
    for (const { path, after } of plan.edits) write(join(root, `after-${index}`), path, after)
    for (let offset = 0; offset < STYLES_PER_APP; offset++) {
      const style = STYLES[(index * 7 + offset * 5) % STYLES.length]!
      styled.push(adopt(`styled-${index}-${offset}`, forms, style))
    }
  }
})

afterAll(() => rm(root, { recursive: true, force: true }))

/** The apps of the corpus that hold a form for the first time. */
function casesOf(kind: Kind): readonly (readonly [number, Form])[] {
  return FORMS[kind].map((form, index) => [index, form])
}

describe.each(KIND_NAMES)("%s", (kind) => {
  test.each(casesOf(kind))("form %i is edited, left or done as it should be, in six styles", (first, form) => {
    const expected = apps[first]!.after[kind]
    expect(expected !== undefined).toBe(form.outcome === "edited")
    for (const { style, directory, plan, after } of styled.filter(({ forms }) => forms[kind] === form)) {
      const what = describeStyle(style)
      expect([what, after[kind]]).toEqual([what, expected === undefined ? undefined : inStyle(expected, style)])
      expect(readFileSync(join(directory, form.path), "utf8")).toBe(inStyle(form.text, style))
      const notes = plan.notes.filter((note) => note.includes(form.path) || note.includes("sentry.options"))
      if (form.outcome === "left") expect([what, notes]).not.toEqual([what, []])
      if (form.outcome === "done") expect(notes.join()).not.toContain(form.path)
    }
  })
})

test("a second init changes nothing, and asks for the same as the first", () => {
  for (const [index, { plan }] of apps.entries()) {
    const again = planInit(join(root, `after-${index}`))!
    expect([index, again.edits]).toEqual([index, []])
    expect([index, again.notes]).toEqual([index, plan.notes])
  }
})

test("every file that TypeScript accepted before, it accepts after, without a new unused name", async () => {
  const project = {
    extends: join(process.cwd(), "tsconfig.json"),
    compilerOptions: {
      incremental: false,
      allowJs: true,
      checkJs: false,
      moduleDetection: "force",
      verbatimModuleSyntax: false,
      paths: { "pagespan/*": [join(process.cwd(), "otel/*.ts"), join(process.cwd(), "otel/*.tsx")] },
      plugins: [],
    },
    include: ["before-*/**/*.ts", "before-*/**/*.tsx", "after-*/**/*.ts", "after-*/**/*.tsx"],
    exclude: ["node_modules"],
  }
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify(project))
  const compiler = join(process.cwd(), "node_modules/typescript/bin/tsc")
  const checked = await execute(process.execPath, [compiler, "-p", root], { cwd: root }).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe("")
})

describe("run with stubs of their packages", () => {
  let results: Map<string, unknown>
  const key = (when: string, index: number, kind: string) => `${when}-${index}/${kind}`
  const result = (when: string, index: number, kind: string) => results.get(key(when, index, kind))

  beforeAll(async () => {
    const runs = apps.flatMap(({ forms }, index) =>
      ["before", "after"].flatMap((when) =>
        // Sentry's files first: an instrumentation may import them too.
        KIND_NAMES.toReversed().map((kind) => ({
          kind,
          id: key(when, index, kind),
          file: join(root, `${when}-${index}`, forms[kind].path),
        })),
      ),
    )
    writeFileSync(join(root, "evaluate.mjs"), readFileSync(join(import.meta.dirname, "corpus/evaluate.mjs")))
    writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions: { jsx: "react-jsx" } }))
    const tsx = import.meta.resolve("tsx")
    const given = JSON.stringify(runs)
    const { stdout } = await execute(process.execPath, ["--import", tsx, "evaluate.mjs", given], {
      cwd: root,
      maxBuffer: 1 << 26,
    })
    const values = JSON.parse(stdout) as unknown[]
    results = new Map(runs.map(({ id }, index) => [id, values[index]]))
  })

  test.each(casesOf("next.config"))(
    "next.config %i gives the same configuration, and Pagespan's",
    (index, { outcome }) => {
      const before = result("before", index, "next.config") as object
      const after = result("after", index, "next.config")
      expect(after).toEqual(outcome === "edited" ? { ...before, pagespan: true } : before)
    },
  )

  test.each(casesOf("instrumentation"))(
    "instrumentation %i does what it did, then registers Pagespan",
    (index, form) => {
      const before = result("before", index, "instrumentation") as string[]
      const after = result("after", index, "instrumentation") as string[]
      const own = before.filter((each) => !each.startsWith("sentry"))
      const expected = form.outcome === "edited" ? ["pagespan.register"] : []
      const isComposed = /onRequestError = (?:async )?\(\w+, \w+, \w+\) =>/.test(form.text)
      const hasHook = /onRequestError/.test(form.text) && !/captureRequestError/.test(form.text) && !isComposed
      expect([...after].sort()).toEqual(
        [...own, ...expected, ...(form.outcome === "edited" && !hasHook ? ["pagespan failed"] : [])].sort(),
      )
    },
  )

  test.each(casesOf("layout"))(
    "layout %i renders what it did, and the observer first in <body>",
    (index, { outcome }) => {
      const before = String(result("before", index, "layout"))
      const added = outcome === "edited" ? "$&<i>observer</i>" : "$&"
      expect(result("after", index, "layout")).toBe(before.replace(/<body[^>]*>/, added))
    },
  )

  test.each(casesOf("error"))("error view %i reports the error once", (index, { outcome, text }) => {
    const others = (result("before", index, "error") as string[]).filter((each) => !each.startsWith("sentry"))
    const after = result("after", index, "error") as string[]
    const isDelegated = text.includes("./shown")
    expect(after).toEqual(expect.arrayContaining(others))
    expect(after.filter((each) => each === "pagespan failed")).toHaveLength(
      outcome === "edited" && !isDelegated ? 1 : 0,
    )
    expect(after.filter((each) => each.startsWith("sentry")).length).toBe(0)
  })

  test.each(casesOf("proxy"))(
    "proxy %i runs for the paths that it ran for, without the tunnel",
    (index, { outcome }) => {
      const next = createRequire(import.meta.url)("next/dist/compiled/path-to-regexp") as {
        pathToRegexp: (pattern: string) => RegExp
      }
      const runsFor = (when: string, path: string) => {
        const config = result(when, index, "proxy") as { matcher: string | (string | { source: string })[] } | null
        const patterns = config === null ? ["/:path*"] : [config.matcher].flat()
        return patterns.some((each) => next.pathToRegexp(typeof each === "string" ? each : each.source).test(path))
      }
      for (const path of ["/", "/en", "/api", "/api/1", "/dashboard/1", "/monitoring-board", "/monitoring/x", "/a.png"])
        expect([path, runsFor("after", path)]).toEqual([path, runsFor("before", path)])
      if (outcome !== "left")
        expect([runsFor("after", "/monitoring"), runsFor("after", "/monitoring/")]).toEqual([false, false])
    },
  )

  test.each(casesOf("sentry"))("Sentry.init %i gets its options without tracing", (index, { outcome }) => {
    const [before] = result("before", index, "sentry") as [Record<string, unknown>]
    const { tracesSampleRate, tracesSampler, ...rest } = before
    expect(result("after", index, "sentry")).toEqual([
      outcome === "left"
        ? { ...rest, tracesSampleRate, ...(tracesSampler === undefined ? {} : { tracesSampler }) }
        : rest,
    ])
  })
})
