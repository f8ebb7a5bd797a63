import type { z } from "zod"
import { nearestName } from "../../search/index.ts"
import type { RouteKind } from "../routes/route-reader.ts"
import { budgetJsonSchema, budgetSchema, type BudgetFile, type RouteBudget } from "./budget-schema.ts"
import { isPercentile, type Percentile } from "./distribution.ts"

/** `pagespan.budgets.json` as limits with numbers in one unit for each figure. */

export type BudgetUnit = "ms" | "score" | "count" | "bytes" | "share"

/** What is measured of each page load, navigation or request: of `spans` the number of those with a name. */
export const VITAL_METRICS = ["LCP", "INP", "CLS", "FCP", "TTFB"] as const
export const METRICS = ["duration", ...VITAL_METRICS, "requests", "bytes"] as const
export type Metric = (typeof METRICS)[number] | "spans" | "errors" | "dropped"

export type Bound =
  | { readonly is: "absolute"; readonly value: number }
  /** The baseline's value times this, like 1.1 for `+10%`. */
  | { readonly is: "relative"; readonly factor: number }

export interface Limit {
  readonly metric: Metric
  /** The pattern of names that `spans` counts. */
  readonly span: string | undefined
  readonly stat: Percentile | "max" | "share"
  /** As it is written. */
  readonly text: string
  readonly bound: Bound
  readonly unit: BudgetUnit
  /** Keys that lead to it in the file. */
  readonly path: readonly string[]
}

/** The limits of the routes that a key of the file matches. */
export interface RouteRule {
  /** `*` matches any text. */
  readonly route: string
  readonly of: RouteKind | undefined
  readonly limits: readonly Limit[]
}

export interface Budgets {
  readonly baseline: string | undefined
  readonly minSamples: number
  readonly rules: readonly RouteRule[]
  readonly dropped: { readonly limit: Limit; readonly except: readonly string[] } | undefined
}

/** Budgets that cannot be used. The message has one line for each problem, with the key. */
export class BudgetsInvalid extends Error {
  override readonly name = "BudgetsInvalid"
}

/**
 * Checks the content of a file.
 *
 * @throws {BudgetsInvalid}
 * @example parseBudgets({ routes: { "/checkout": { duration: { p75: "800ms" } } } })
 */
export function parseBudgets(json: unknown): Budgets {
  const parsed = budgetSchema.safeParse(json)
  if (!parsed.success) throw new BudgetsInvalid(parsed.error.issues.flatMap(problemsOf).join("\n"))
  const { baseline, minSamples, routes, dropped } = parsed.data
  const rules = Object.entries(routes).map(([route, budget]) => ({
    route,
    of: budget.of,
    limits: limitsOf(budget, ["routes", route]),
  }))
  const relative = rules.flatMap(({ limits }) => limits).find(({ bound }) => bound.is === "relative")
  if (relative !== undefined && baseline === undefined)
    throw new BudgetsInvalid(
      `${keyText(relative.path)} is ${relative.text}, a change of the baseline: set baseline to a filter like run:main`,
    )
  if (dropped === undefined && rules.every(({ limits }) => limits.length === 0))
    throw new BudgetsInvalid("The budgets have no limit")
  return { baseline, minSamples, rules, dropped: dropped && droppedLimit(dropped) }
}

function droppedLimit({ max, except = [] }: NonNullable<BudgetFile["dropped"]>) {
  const limit: Limit = {
    metric: "dropped",
    span: undefined,
    stat: "max",
    text: String(max),
    bound: { is: "absolute", value: max },
    unit: "count",
    path: ["dropped", "max"],
  }
  return { limit, except }
}

type Written = string | number | readonly (string | number)[]
type WrittenLimits = Readonly<Partial<Record<Percentile | "max" | "share", Written | undefined>>>

function limitsOf(budget: RouteBudget, path: readonly string[]): Limit[] {
  const { spans = {}, errors } = budget
  return [
    ...METRICS.flatMap((metric) => statsOf(budget[metric], { metric, span: undefined, path: [...path, metric] })),
    ...Object.entries(spans).flatMap(([span, stats]) =>
      statsOf(stats, { metric: "spans", span, path: [...path, "spans", span] }),
    ),
    ...statsOf(errors, { metric: "errors", span: undefined, path: [...path, "errors"] }),
  ]
}

function statsOf(limits: WrittenLimits | undefined, of: Pick<Limit, "metric" | "span" | "path">): Limit[] {
  return Object.entries(limits ?? {}).flatMap(([stat, written]) =>
    (Array.isArray(written) ? written : [written as string | number]).map((value: string | number): Limit => ({
      ...of,
      stat: isPercentile(stat) || stat === "share" ? stat : "max",
      text: String(value),
      bound: boundOf(value),
      unit: unitOf(of.metric, stat),
      path: [...of.path, stat],
    })),
  )
}

function unitOf(metric: Metric, stat: string): BudgetUnit {
  if (stat === "share") return "share"
  if (metric === "bytes") return "bytes"
  if (metric === "CLS") return "score"
  return metric === "requests" || metric === "spans" || metric === "errors" ? "count" : "ms"
}

const UNITS: Readonly<Record<string, number>> = {
  us: 1e-3,
  ms: 1,
  s: 1e3,
  m: 60e3,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  "%": 0.01,
}

function boundOf(written: string | number): Bound {
  if (typeof written === "number") return { is: "absolute", value: written }
  const [, sign, number = "0", unit = ""] = /^([+-])?([\d.]+)(\D+)$/.exec(written) ?? []
  const value = Number(number) * (UNITS[unit] ?? 1)
  if (sign === undefined) return { is: "absolute", value }
  return { is: "relative", factor: sign === "+" ? 1 + value : 1 - value }
}

function problemsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== "unrecognized_keys") return [`${keyText(issue.path)} ${sentence(issue.message)}`]
  const names = namesAt(issue.path)
  return issue.keys.map((key) => {
    const near = nearestName(key, names)
    const hint = near === undefined ? `Known are ${names.join(", ")}` : `Did you mean ${near}?`
    return `${keyText([...issue.path, key])} is not known. ${hint}`
  })
}

function sentence(message: string): string {
  return message.startsWith("must ") ? message : `is invalid: ${message}`
}

/** A path of keys as people write it, like `routes["/cart"].duration.p75`. */
export function keyText(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`
      return /^[a-z$]\w*$/i.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`
    })
    .join("")
  return text === "" ? "The file" : text.replace(/^\./, "")
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
}

/** The keys that the file may have at a path. */
function namesAt(path: readonly PropertyKey[]): string[] {
  let node = budgetJsonSchema() as SchemaNode
  for (const key of path) {
    const { properties = {}, additionalProperties } = node
    const open = typeof additionalProperties === "object" ? additionalProperties : {}
    node = Object.hasOwn(properties, key) ? (properties[String(key)] ?? open) : open
  }
  return Object.keys(node.properties ?? {})
}
