import { fewestFor } from "../../../inspector/queries/budgets/distribution.ts"
import { budgetJsonSchema, ROUTES, SPAN_NAMES } from "../../../inspector/queries/budgets/budget-schema.ts"
import { SAMPLE_SPANS } from "../../../inspector/queries/budgets/measurements.ts"
import { GENERATED, table } from "./markdown.ts"

interface SchemaNode {
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode
}

const EXAMPLE = {
  $schema: "./node_modules/pagespan/pagespan.budgets.schema.json",
  baseline: "run:main",
  routes: {
    "/checkout": {
      duration: { p75: "800ms", p95: ["2s", "+10%"] },
      LCP: { p75: "2.5s" },
      requests: { max: 20 },
      bytes: { p75: "300kB" },
      spans: { "SELECT *": { max: 3 } },
    },
    "/api/*": { of: "request", duration: { p95: "300ms" } },
    "*": { CLS: { p75: 0.1 }, errors: { max: 0 } },
  },
  dropped: { max: 0, except: ["sample_rate"] },
}

/** `docs/reference/budgets.md` */
export function budgetsPage(): string {
  const { properties = {} } = budgetJsonSchema() as SchemaNode
  const route = properties["routes"]?.additionalProperties?.properties ?? {}
  return `# Budgets
${GENERATED}
\`pagespan assert --budgets\` measures traces against the limits in \`pagespan.budgets.json\`. [CI](../guide/ci.md) has the whole setup.

\`\`\`json
${JSON.stringify(EXAMPLE, undefined, 2)}
\`\`\`

The package contains the JSON Schema of the file, which \`$schema\` names for editors. An unknown key is an error. The message names the
key and the nearest one that exists.

${table(["key", "meaning"], keysOf(properties))}

## Figures of a route

A route is written as in span names, like \`/items/[id]\`.

${table(["key", "meaning"], keysOf(route))}

Every figure but \`errors\` has limits for \`p50\`, \`p75\`, \`p95\`, \`p99\` and \`max\`, over all page loads, navigations or
requests of the route. A percentile takes an absolute limit, a change of the baseline (\`"+10%"\`: at most 10 % more; \`"-5%"\`: at least
5 % less; it needs \`baseline\`), or a list of both, which must both hold. \`max\` takes an absolute limit only. \`errors\` takes
\`max\`, a number of failures, and \`share\`, like \`"1%"\`. \`dropped\` takes \`max\`, which is required, and \`except\`, a list of
[reasons](dropped.md#reasons) that do not count. A file has at most ${ROUTES} routes, and \`spans\` at most ${SPAN_NAMES} names.
Durations have a unit (\`us\`, \`ms\`, \`s\`, \`m\`), sizes have one (\`B\`, \`kB\`, \`MB\`, \`GB\`, \`KiB\`, \`MiB\`,
\`GiB\`) or are bytes, and the others are numbers.

- \`spans\` of a page load or navigation counts the spans of its whole trace, with those of the server that rendered it. Of a request it
  counts the spans below it, without those of the page that it rendered.
- \`requests\` and \`bytes\` are what the page or the server sent itself. Requests that another server sent to answer are that server's.
- These three are counted in whole traces with up to ${SAMPLE_SPANS.toLocaleString("en")} spans together; of more, in a sample by trace id.
- \`errors\` counts page loads and navigations that failed or whose trace has an error, and requests that failed or whose service
  reported an error in the trace. More of them than \`max\` fail the limit with fewer samples than \`minSamples\` too.
- The trace of a test may have several page loads. Each then has its own web vitals, the \`spans\` of the largest part of the trace that
  has no other page load (from the step that opened it down), and the errors from its start to that of the next.
- \`dropped\` counts the [drops](dropped.md) of all senders from a minute before the first measured trace. The category \`internal\` does
  not count.

## Verdicts

| verdict | meaning |
|---|---|
| \`pass\` | the measured value is within the limit |
| \`fail\` | it is over the limit. The exit code is 1 |
| \`undecided\` | nothing was measured, fewer than \`minSamples\`, or chance could explain the difference from a relative limit. The exit code is 0, and 1 with \`--strict\` |

An absolute limit is compared with the measured value. A limit relative to the baseline, like \`+10%\`, passes or fails only where the
difference from it is more than three standard errors, as in [a comparison](screens.md#compare); otherwise it is undecided, and the
report says about how many samples would decide. Each side needs at least ${fewestFor("p50")} samples for a \`p50\`, ${fewestFor("p75")} for a \`p75\`, ${fewestFor("p95")} for a
\`p95\` and ${fewestFor("p99")} for a \`p99\`. \`--repeat 5 -- <command>\` runs a program up to five times, as long as
more runs can decide a limit. One without samples, or without a baseline, stays undecided.
`
}

function keysOf(properties: Readonly<Record<string, SchemaNode>>): string[][] {
  return Object.entries(properties).map(([key, { description = "" }]) => [`\`${key}\``, description])
}
