import { type Described, sentence } from "./describe.ts"

/**
 * The results as JUnit XML: a test suite for each route, a test case for each limit. An undecided limit is a skipped case.
 *
 * @see https://github.com/testmoapp/junitxml
 */
export function junitXml(results: readonly Described[], isStrict: boolean): string {
  const suites = new Map<string, Described[]>()
  for (const result of results) suites.set(result.subject, [...(suites.get(result.subject) ?? []), result])
  const totals = countsOf(results, isStrict)
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="pagespan budgets" ${totals}>`,
    ...[...suites].flatMap(([subject, own]) => [
      `  <testsuite name="${escaped(subject)}" ${countsOf(own, isStrict)}>`,
      ...own.map((result) => testCase(result, isStrict)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n")
}

function testCase(result: Described, isStrict: boolean): string {
  const { subject, figure, limit, verdict } = result
  const head = `    <testcase classname="${escaped(subject)}" name="${escaped(`${figure} ≤ ${limit}`)}" time="0"`
  if (verdict === "pass") return `${head}/>`
  const message = escaped(sentence(result))
  if (verdict === "undecided" && !isStrict) return `${head}><skipped message="${message}"/></testcase>`
  return `${head}><failure type="${verdict}" message="${message}">${message}</failure></testcase>`
}

function countsOf(results: readonly Described[], isStrict: boolean): string {
  const count = (verdict: string) => results.filter((each) => each.verdict === verdict).length
  const [failed, undecided] = [count("fail"), count("undecided")]
  const [failures, skipped] = isStrict ? [failed + undecided, 0] : [failed, undecided]
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}" time="0"`
}

/** Characters that XML 1.0 does not allow, not even escaped. */
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\t": "&#9;",
  "\r": "&#13;",
}

function escaped(text: string): string {
  return text.replace(NOT_XML, "\ufffd").replace(/[&<>"'\n\t\r]/g, (character) => ENTITIES[character] ?? "")
}
