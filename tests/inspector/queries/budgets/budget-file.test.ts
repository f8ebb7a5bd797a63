import { describe, expect, test } from "vitest"
import { BudgetsInvalid, parseBudgets } from "#otel/inspector/queries/budgets/budget-file.ts"

describe("a budget file", () => {
  test("has its limits as numbers of one unit for each figure, with the keys that lead to them", () => {
    const { rules, dropped, baseline, minSamples } = parseBudgets({
      $schema: "./node_modules/pagespan/pagespan.budgets.schema.json",
      baseline: "run:main",
      minSamples: 5,
      routes: {
        "/checkout": {
          of: "load",
          duration: { p75: "800ms", p95: ["2s", "+10%"] },
          CLS: { p75: 0.1 },
          bytes: { max: "300kB", p50: 1024 },
          spans: { "SELECT *": { max: 3 } },
          errors: { max: 0, share: "0.5%" },
        },
      },
      dropped: { max: 0, except: ["sample_rate"] },
    })
    expect({ baseline, minSamples }).toEqual({ baseline: "run:main", minSamples: 5 })
    expect(rules).toMatchObject([{ route: "/checkout", of: "load" }])
    const [{ limits } = { limits: [] }] = rules
    expect(limits.map(({ metric, span, stat, bound, unit }) => [metric, span, stat, bound, unit])).toEqual([
      ["duration", undefined, "p75", { is: "absolute", value: 800 }, "ms"],
      ["duration", undefined, "p95", { is: "absolute", value: 2_000 }, "ms"],
      ["duration", undefined, "p95", { is: "relative", factor: 1.1 }, "ms"],
      ["CLS", undefined, "p75", { is: "absolute", value: 0.1 }, "score"],
      ["bytes", undefined, "p50", { is: "absolute", value: 1_024 }, "bytes"],
      ["bytes", undefined, "max", { is: "absolute", value: 300_000 }, "bytes"],
      ["spans", "SELECT *", "max", { is: "absolute", value: 3 }, "count"],
      ["errors", undefined, "max", { is: "absolute", value: 0 }, "count"],
      ["errors", undefined, "share", { is: "absolute", value: 0.005 }, "share"],
    ])
    expect(limits.map(({ path }) => path.join(" "))).toContain("routes /checkout spans SELECT * max")
    expect(dropped).toMatchObject({ limit: { path: ["dropped", "max"] }, except: ["sample_rate"] })
  })

  test.each([
    [{ routs: {} }, "routs is not known. Did you mean routes?"],
    [{ routes: { "/a": { duraton: {} } } }, `routes["/a"].duraton is not known. Did you mean duration?`],
    [{ routes: { "/a": { lcp: { p75: "1s" } } } }, `routes["/a"].lcp is not known. Did you mean LCP?`],
    [{ routes: { "/a": { LCP: { p80: "1s" } } } }, `routes["/a"].LCP.p80 is not known. Did you mean p50?`],
    [{ routes: { "/a": { errors: { worst: 1 } } } }, `routes["/a"].errors.worst is not known. Known are max, share`],
    [{ routes: { "/a": { spans: { "SELECT *": { min: 1 } } } } }, `routes["/a"].spans["SELECT *"].min is not known.`],
    [{ routes: { "/a": { duration: { p75: 800 } } } }, `routes["/a"].duration.p75 must be a duration like "800ms"`],
    [{ routes: { "/a": { duration: { max: "+10%" } } } }, `routes["/a"].duration.max must be a duration with a unit`],
    [{ routes: { "/a": { requests: { max: 1.5 } } } }, `routes["/a"].requests.max is invalid`],
    [{ dropped: { max: 0, except: ["sampling"] } }, "dropped.except[0] is invalid"],
    [{ routes: { "/a": { LCP: { p75: "+10%" } } } }, `routes["/a"].LCP.p75 is +10%, a change of the baseline: set`],
    [{ routes: {} }, "The budgets have no limit"],
    ["{}", "The file is invalid"],
    [null, "The file is invalid"],
    [[], "The file is invalid"],
  ])("%j is refused with the key and what is expected", (json, message) => {
    expect(() => parseBudgets(json)).toThrow(BudgetsInvalid)
    expect(() => parseBudgets(json)).toThrow(message)
  })
})
