import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "vite"
import { describe, expect, test } from "vitest"
import { REDACTED_TEXT_LIMIT } from "#otel/protocol/limits.ts"
import { FILTERED, isSecretKey, redactAddress, redactText } from "#otel/protocol/redact.ts"
import { bareText } from "#otel/sdk/browser/errors/raw-error-event.ts"
import { sanitizeAttributes, sanitizeOutgoing } from "#otel/sdk/sentry/sanitize-attributes.ts"
import { redactEvent } from "#otel/sdk/sentry/sanitize-payload.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"
import { pumpsOf } from "./pump-strings.ts"
import { replaceWords, superlinearGrowth, type Work } from "./superlinear.ts"

interface Literal {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

const sources = ["otel", "app"]
  .flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name)),
  )
  .filter((file) => /\.tsx?$/.test(file))

const literals: Literal[] = []
const constructed: string[] = []
for (const file of sources) {
  const noteConstruction = ({ callee }: { readonly callee: object }) => {
    if ("name" in callee && callee.name === "RegExp") constructed.push(file)
  }
  new Visitor({
    Literal(node) {
      if ("regex" in node) literals.push({ file, ...node.regex })
    },
    NewExpression: noteConstruction,
    CallExpression: noteConstruction,
  }).visit(parseSync(file, readFileSync(file, "utf8")).program)
}

const REDACTING_FILES =
  /^otel\/(?:protocol\/(?:redact|secret-(?:names|assignments|shapes))|sdk\/sentry\/(?!error-rules)[\w-]+|sdk\/browser\/errors\/raw-error-event)\.ts$/

/** Replaces every match, so that each position of the text is tried. */
function matching({ pattern, flags }: Pick<Literal, "pattern" | "flags">): (text: string) => unknown {
  const expression = new RegExp(pattern, flags.includes("g") ? flags : `${flags}g`)
  return (text) => text.replace(expression, "")
}

describe("a regular expression of the product", () => {
  test("is a literal, so that this file tries all of them", () => {
    expect(literals.length).toBeGreaterThan(200)
    expect(constructed).toEqual([])
  })

  test.each([...new Map(literals.map((each) => [`/${each.pattern}/${each.flags}`, each])).values()])(
    "takes linear time: /$pattern/$flags of $file",
    ({ pattern, flags }) => {
      expect(superlinearGrowth(matching({ pattern, flags }), pumpsOf(pattern, flags))).toBeUndefined()
    },
  )
})

test.each([
  ["starts again within a match", String.raw`\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*`, ""],
  ["has a high bound", String.raw`\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s?#"'<>]{1,4096})[?#][^\s"'<>]*`, "gi"],
  ["can start anywhere in a run", String.raw`^[.\s]+|[.\s]+$`, "g"],
  ["divides a run in two", String.raw`^\s*(>|)\s*\d+$`, ""],
  ["searches for an end that is missing", String.raw`import \{([^}]*)\} from`, "g"],
  ["nests repetitions", String.raw`^(?:\s+|\()*([a-z]+)`, "i"],
  ["divides comments in several ways", String.raw`^(?:\s|\/\*[\s\S]*?\*\/)*([a-z]+)`, "i"],
])("finds superlinear growth of an expression that %s", (_, pattern, flags) => {
  const pumps = pumpsOf(pattern, flags)
  expect(superlinearGrowth(matching({ pattern, flags }), pumps)).toBeDefined()
  expect(superlinearGrowth(matching({ pattern, flags }), pumps, replaceWords)).toBeDefined()
})

/** Every function that redacts gets the pump strings of all expressions that redact. */
const REDACTION_PUMPS = literals
  .filter(({ file }) => REDACTING_FILES.test(file))
  .flatMap(({ pattern, flags }) => pumpsOf(pattern, flags))
  .filter(({ prefix, suffix }) => !prefix.startsWith("\0") && suffix === "\0")

/** Repeated, these make a scanner read on for an end that is missing, in the order in which it looks for one. */
const UNENDED = [
  'password="',
  "token:{",
  "sig=(",
  "value=",
  "<token>",
  'authorization: ="',
  "://u:p@",
  "--token  ",
  "\\",
  ",a=",
]
const SCANNER_PUMPS = UNENDED.flatMap((first) =>
  ["", ...UNENDED].map((second) => ({ prefix: "", pumped: first + second, suffix: "\0" })),
)

describe("redaction", () => {
  test("has pump strings", () => expect(REDACTION_PUMPS.length).toBeGreaterThan(100))

  test.each<[name: string, redact: Work, part?: Work]>([
    ["redactText", redactText],
    ["redactAddress", redactAddress],
    ["isSecretKey", isSecretKey],
    ["bareText", bareText, replaceWords],
    ["sanitizeAttributes", (text) => sanitizeAttributes({ note: text, "url.full": [text], [text]: text })],
    ["sanitizeOutgoing", (text) => sanitizeOutgoing({ "http.url": text, "http.user_agent": text })],
    ...["postgresql", "mysql", "oracle", "sqlite", ""].map((system): [string, Work] => [
      `sanitizeOutgoing of a query of ${system}`,
      (text) => sanitizeOutgoing({ "db.system": system, "db.statement": text }),
    ]),
    [
      "redactEvent",
      (text) =>
        redactEvent({
          message: text,
          transaction: text,
          exception: { values: [{ type: "Error", value: text, stacktrace: { frames: [{ filename: text }] } }] },
          breadcrumbs: [{ message: text, data: { url: text } }],
        }),
    ],
  ])("takes linear time: %s", (_, redact, part) => {
    expect(superlinearGrowth(redact, [...REDACTION_PUMPS, ...SCANNER_PUMPS], part)).toBeUndefined()
  })

  test("does not change text of the maximum length", () => {
    const text = "word ".repeat(REDACTED_TEXT_LIMIT / 4).slice(0, REDACTED_TEXT_LIMIT)
    expect(redactText(text)).toBe(text)
  })

  test("replaces the end of longer text, from the last whole word on", () => {
    const text = "word ".repeat(REDACTED_TEXT_LIMIT)
    expect(redactText(text)).toBe(text.slice(0, REDACTED_TEXT_LIMIT - (REDACTED_TEXT_LIMIT % 5)) + FILTERED)
    expect(redactText("x".repeat(REDACTED_TEXT_LIMIT + 1))).toBe(FILTERED)
  })

  /** The cut falls before, inside or after the secret. */
  test.each(SECRET_SHAPES.filter(([key]) => key === "note" || key === "url.full"))(
    "cuts no secret in half: %s = %s",
    (_, value) => {
      const shown = new Set<string>()
      for (let before = REDACTED_TEXT_LIMIT - value.length - 1; before <= REDACTED_TEXT_LIMIT; before++) {
        const text = redactText(`${"word ".repeat(before)}`.slice(-before) + `${value} and more`)
        expect(text.length).toBeLessThan(REDACTED_TEXT_LIMIT + 100)
        shown.add(text.slice(before))
      }
      expect([...shown].filter((tail) => tail.includes(SECRET.slice(0, 4)))).toEqual([])
      expect([...shown].some((tail) => tail.includes(FILTERED))).toBe(true)
    },
  )

  test.each([
    ["in the middle of a word", `x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${SECRET}`, `x-${FILTERED}`],
    [
      "after one that is none",
      `eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.${SECRET}`,
      `eyJhbGciOiJIUzI1NiJ9 ${FILTERED}`,
    ],
    ["after a long path", `https://a.example/${"x".repeat(5_000)}?${SECRET}`, `https://a.example/${"x".repeat(5_000)}`],
    ["after a long user name", `https://${"x".repeat(600)}:${SECRET}@a.example/`, "https://a.example/"],
    [
      "in an address in an address",
      `https://a.example/https://b.example/?${SECRET} x`,
      "https://a.example/https://b.example/ x",
    ],
  ])("redacts a secret %s", (_, text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })
})
