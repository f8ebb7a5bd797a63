import { z } from "zod"
import { DROP_REASONS } from "../../../protocol/records/drop.ts"

/** The format of `pagespan.budgets.json`: the one source of its check, its JSON Schema and its reference. */

/** Routes that a file may name, and names of spans. */
export const ROUTES = 200
export const SPAN_NAMES = 20

/** A share of the baseline's value: at most 10 % more, or at least 5 % less. */
const RELATIVE = /^[+-]\d{1,4}(?:\.\d{1,3})?%$/
const DURATION = /^\d{1,9}(?:\.\d{1,6})?(?:us|ms|s|m)$/
const BYTES = /^\d{1,12}(?:\.\d{1,6})?(?:B|kB|MB|GB|KiB|MiB|GiB)$/
const SHARE = /^(?:100|\d{1,2}(?:\.\d{1,3})?)%$/

const relative = z.string().regex(RELATIVE, "must be a change of the baseline like +10% or -5%")
const duration = z.string().regex(DURATION, "must be a duration with a unit, like 800ms or 2.5s")
const count = z.int().min(0)
const score = z.number().min(0)
const bytes = z.union([z.string().regex(BYTES), count], "must be a size with a unit, like 300kB or 1MiB")
const share = z.string().regex(SHARE, "must be a share like 1% or 0.5%")

/** Limits of one figure: absolute, relative to the baseline, or both. */
function limits<Absolute extends z.ZodType<string | number>>(absolute: Absolute, example: string) {
  const expected = `must be ${example}, a change of the baseline like "+10%", or a list of both`
  const percentile = z.union([absolute, relative, z.tuple([absolute, relative])], expected).optional()
  return z.strictObject({
    p50: percentile.describe("Median"),
    p75: percentile.describe("75th percentile"),
    p95: percentile.describe("95th percentile"),
    p99: percentile.describe("99th percentile"),
    max: absolute.optional().describe("Largest value"),
  })
}

const ofDuration = limits(duration, `a duration like "800ms" or "2.5s"`)
const ofScore = limits(score, "a number like 0.1")
const ofCount = limits(count, "a whole number")
const ofBytes = limits(bytes, `a size like "300kB" or "1MiB"`)

const route = z.strictObject({
  of: z
    .enum(["load", "navigation", "request"])
    .optional()
    .describe(
      "What is measured: page loads, navigations or requests to a server. Default: the first that the route has",
    ),
  duration: ofDuration.optional().describe("From start to end"),
  LCP: ofDuration.optional().describe("Largest contentful paint"),
  INP: ofDuration.optional().describe("Interaction to next paint"),
  CLS: ofScore.optional().describe("Cumulative layout shift, a score"),
  FCP: ofDuration.optional().describe("First contentful paint"),
  TTFB: ofDuration.optional().describe("Time to first byte"),
  requests: ofCount.optional().describe("HTTP requests that it sent, with scripts, styles, images and fonts of a page"),
  bytes: ofBytes.optional().describe("Size of the responses to these requests, where the data has it"),
  spans: z
    .record(z.string().min(1).max(500), ofCount)
    .refine((spans) => Object.keys(spans).length <= SPAN_NAMES, `must have at most ${SPAN_NAMES} names`)
    .optional()
    .describe("Number of spans by name; * matches any text, like SELECT *"),
  errors: z
    .strictObject({
      max: count.optional().describe("Number that may fail, of all together"),
      share: share.optional().describe("Share that may fail"),
    })
    .optional()
    .describe(
      "Page loads and navigations that failed or whose trace has an error, and requests that failed or whose service reported an error in the trace",
    ),
})

export const budgetSchema = z.strictObject({
  $schema: z.string().optional().describe("Address of the JSON Schema, for editors"),
  baseline: z
    .string()
    .max(2_000)
    .optional()
    .describe(
      "Filter of the traces that relative limits compare with, like run:main. If pagespan assert has no filter, it measures all other traces",
    ),
  minSamples: z.int().min(1).max(1_000_000).default(1).describe("A limit is undecided with fewer samples. Default: 1"),
  routes: z
    .record(z.string().min(1).max(1_000), route)
    .refine((routes) => Object.keys(routes).length <= ROUTES, `must have at most ${ROUTES} routes`)
    .default({})
    .describe(
      "Limits by route. * matches any text, and a limit applies where no more specific route sets the same figure of the same kind: * is for all others",
    ),
  dropped: z
    .strictObject({
      max: count.describe("Records that may be dropped"),
      except: z.array(z.enum(DROP_REASONS)).optional().describe("Reasons that do not count, like sample_rate"),
    })
    .optional()
    .describe("Dropped records since the first measured trace"),
})

export type BudgetFile = z.output<typeof budgetSchema>
export type RouteBudget = BudgetFile["routes"][string]

/** JSON Schema of the file, draft 2020-12. */
export function budgetJsonSchema(): object {
  return z.toJSONSchema(budgetSchema, { io: "input" })
}
