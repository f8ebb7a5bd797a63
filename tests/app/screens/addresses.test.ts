import { describe, expect, it } from "vitest"
import { idTargets, searchTarget } from "#app/_palette/id-targets.ts"
import { themeOf } from "#app/_palette/theme.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { sentryRecipes } from "#app/connect/recipes.ts"
import { settingsOf } from "#app/connect/settings.tsx"
import { ADVICE } from "#app/dropped/advice.ts"
import { frameGroups } from "#app/errors/[issueId]/_exception/frame-groups.ts"
import { routeAddress, routeOf } from "#app/routes/route-address.ts"
import { readConfig } from "#otel/inspector/config.ts"
import { DROP_REASONS } from "#otel/protocol/records/drop.ts"

describe("the address of a route", () => {
  it.each([
    ["/", "/routes/~"],
    ["/traces/[traceId]", "/routes/traces/%5BtraceId%5D"],
    ["/docs/[[...slug]]", "/routes/docs/%5B%5B...slug%5D%5D"],
    ["unmatched", "/routes/~name/unmatched"],
    ["/a/../b", "/routes/a/~../b"],
  ])("of %s is %s", (route, address) => {
    expect(routeAddress(route)).toBe(address)
  })

  it.each([
    "/",
    "/traces/[traceId]",
    "/[locale]/[...rest]",
    "unmatched",
    "/unmatched",
    "GET /x",
    "",
    "/~",
    "/~name",
    "/~name/x",
    "~",
    "~name",
    "/a//b/",
    "//",
    "/.",
    "/..",
    "/a/./..",
    "/50% off?x#y",
    "/\\..\\",
    "/日本語",
    "/\u202Egnp",
    "=1+1",
    "/%2F",
    "__proto__",
  ])("of %j leads back to it, and a browser keeps it as it is", (route) => {
    const { pathname } = new URL(routeAddress(route), "http://localhost")
    expect(pathname).toBe(routeAddress(route))
    expect(routeOf(pathname.split("/").slice(2))).toBe(route)
  })

  it("that is not ours yields no route and does not throw", () => {
    expect(routeOf(["%E0%A4"])).toBeUndefined()
    expect(routeOf([])).toBeUndefined()
    expect(routeOf(["~name"])).toBe("")
    expect(() => routeAddress("/\uD800")).not.toThrow()
  })
})

describe("text pasted into the palette", () => {
  const id = "5b8efff798038103d269b633813fc60c"

  const uuid = "5b8efff7-9803-8103-d269-b633813fc60c"

  it.each([
    [id, id],
    [id.toUpperCase(), id],
    [` ${id}\n`, id],
    [uuid, uuid],
  ])("%j is the id of a trace, an error, an event or a session", (text, session) => {
    expect(idTargets(text).map(({ href }) => href)).toEqual([`/traces/${id}`, `/errors/${id}`, `/sessions/${session}`])
  })

  it.each(["session:s3/x", "session.id=s3/x", "Session s3/x"])(
    "%j leads to a session whose id is no other's",
    (text) => {
      expect(idTargets(text)).toEqual([{ href: "/sessions/s3%2Fx", label: "Open session s3/x" }])
    },
  )

  it("as a traceparent header leads to its span", () => {
    expect(idTargets(`00-${id}-eee19b7ec3c1b174-01`)[0]?.href).toBe(`/traces/${id}?span=eee19b7ec3c1b174`)
  })

  it("as a span id finds its trace", () => {
    expect(idTargets(" EEE19B7EC3C1B174")).toEqual([
      { href: "/traces?q=span%3Aeee19b7ec3c1b174", label: "Find span eee19b7ec3c1b174" },
    ])
  })

  it.each([
    [`http://localhost:4321/traces/${id}?span=eee19b7ec3c1b174`, `/traces/${id}?span=eee19b7ec3c1b174`],
    ["https://inspector.example/routes/cart?since=1h#top", "/routes/cart?since=1h"],
  ])("as an address, %s, leads to that screen here", (text, href) => {
    expect(idTargets(text).map((target) => target.href)).toEqual([href])
  })

  it.each(["https://shop.example/cart", "https://shop.example//evil.example/traces", "ftp://a/traces", "http://["])(
    "as an address of no screen, %s, leads nowhere",
    (text) => {
      expect(idTargets(text)).toEqual([])
    },
  )

  it("as any other text is searched for in the traces; of an address its path", () => {
    expect(searchTarget("SELECT items")).toEqual({
      href: `/traces?q=${encodeURIComponent('"SELECT items"')}`,
      label: "Find traces with “SELECT items”",
    })
    expect(searchTarget("https://shop.example/cart?id=3")?.href).toBe(`/traces?q=${encodeURIComponent("/cart")}`)
    expect(searchTarget("  ")).toBeUndefined()
  })

  it.each(["", "abc", `${id}0`, `../${id}`, "javascript:alert(1)"])("%j is none", (text) => {
    expect(idTargets(text)).toEqual([])
  })
})

describe("frames", () => {
  const frame = (name: string, inApp: boolean | undefined) => ({ name, inApp })
  const names = (frames: readonly { name: string; inApp: boolean | undefined }[]) =>
    frameGroups(frames).map(
      (group) => `${group.isApp ? "shown" : "folded"} ${group.frames.map(({ name }) => name).join("")}`,
    )

  it("start at the throwing frame and fold adjacent library frames", () => {
    expect(names([frame("a", false), frame("b", false), frame("c", true), frame("d", false)])).toEqual([
      "shown d",
      "shown c",
      "folded ba",
    ])
  })

  it("are all shown when none is marked as in-app", () => {
    expect(names([frame("a", undefined), frame("b", undefined)])).toEqual(["shown ba"])
  })
})

describe("addresses of a screen", () => {
  it("keep parameters but not the cursor of another list", () => {
    const parameters = new URLSearchParams("q=a b&after=x&sort=count")
    expect(withParameters("/errors", parameters, { sort: undefined, since: "1h" })).toBe("/errors?q=a+b&since=1h")
    expect(withParameters("/errors", new URLSearchParams("after=x"), {})).toBe("/errors")
  })
})

it("every drop reason has advice in whole sentences", () => {
  for (const reason of DROP_REASONS) expect(ADVICE[reason].todo).toMatch(/[.]$/)
})

it("an invalid theme means the system theme", () => {
  expect([themeOf("dark"), themeOf("<script>"), themeOf(undefined)]).toEqual(["dark", "system", "system"])
})

describe("the connect screen", () => {
  it("shows destinations without keys, users, passwords and paths", () => {
    const config = readConfig({
      PAGESPAN_FORWARD_OTLP: "https://user:password@collector.example:4318/with/key?token=x",
      PAGESPAN_FORWARD_SENTRY: "https://secretkey@sentry.example/42",
      PAGESPAN_TOKEN: "a-token-of-sixteen-characters",
    })
    const settings = settingsOf({ config, internalServices: ["pagespan"] })
    expect(settings).toMatchObject({
      collectors: ["https://collector.example:4318"],
      sentryHost: "sentry.example",
      hasToken: true,
    })
    expect(JSON.stringify(settings)).not.toMatch(/password|secretkey|token=|a-token/)
  })

  it("shows a valid DSN, with the token as its key where one is required", () => {
    const codeOf = (hasToken: boolean, spotlightPort?: number) =>
      JSON.stringify(sentryRecipes({ address: "http://localhost:4318", hasToken, spotlightPort }))
    expect(codeOf(false)).toContain("SENTRY_DSN=http://any@localhost:4318/1")
    expect(codeOf(true)).toContain("http://YOUR_TOKEN@localhost:4318/1")
    expect(codeOf(false, 8_969)).toContain("SENTRY_SPOTLIGHT=1")
    expect(codeOf(false, 9_000)).toContain("SENTRY_SPOTLIGHT=http://localhost:9000/stream")
    expect(codeOf(false)).not.toContain("SPOTLIGHT")
  })
})
