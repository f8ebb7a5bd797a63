import { execFileSync } from "node:child_process"
import { parse } from "@babel/parser"
import { createElement } from "react"
import { renderToString } from "react-dom/server"
import { expect, it, vi } from "vitest"
import { addressOf, isDefaultAddress } from "#app/connect/address.ts"
import { ConnectView } from "#app/connect/connect-view.tsx"
import { CONSENT_RECIPE, curlRecipe, pagespanRecipe } from "#app/connect/recipes.ts"
import { sdkRecipes } from "#app/connect/sdk-recipes.ts"
import { parseSpanId, parseTraceId } from "#otel/protocol/records/ids.ts"

vi.mock("next/navigation", () => ({ useRouter: () => ({ refresh: () => undefined }) }))

const codeOf = (recipes: ReturnType<typeof sdkRecipes>) =>
  recipes.flatMap(({ steps }) => steps.map(({ code }) => code)).join("\n")

it.each([
  [{ host: "localhost:4318" }, "http://localhost:4318"],
  [{ host: "[::1]:4318" }, "http://[::1]:4318"],
  [{ host: "pagespan.dev.example", "x-forwarded-proto": "https" }, "https://pagespan.dev.example"],
  [{ host: "pagespan.dev.example", "x-forwarded-proto": "https,http" }, "https://pagespan.dev.example"],
  [{ host: "localhost:4318; rm -rf ~" }, "http://localhost:4318"],
  [{ host: "$(id):1" }, "http://localhost:4318"],
  [{}, "http://localhost:4318"],
])("the address for %o is %s", (headers, address) => {
  expect(addressOf(new Headers(headers as Record<string, string>))).toBe(address)
})

it("at the default address only SDKs with another default need an endpoint", () => {
  const address = "http://localhost:4318"
  expect(isDefaultAddress(address)).toBe(true)
  const named = sdkRecipes({ address, hasToken: false }, true)
    .filter((recipe) => codeOf([recipe]).includes("OTEL_EXPORTER_OTLP_ENDPOINT"))
    .map(({ title }) => title)
  expect(named).toEqual(["Go", ".NET"])
  // Pagespan's own SDK has no default.
  expect(codeOf([pagespanRecipe({ address, hasToken: false })])).toContain(`OTEL_EXPORTER_OTLP_ENDPOINT=${address}`)
})

it("at another address every SDK gets the origin of the page as its endpoint", () => {
  const address = "https://pagespan.dev.example"
  expect(isDefaultAddress(address)).toBe(false)
  const target = { address, hasToken: false }
  const recipes = [...sdkRecipes(target, false), pagespanRecipe(target), curlRecipe(target)]
  expect(recipes.filter((recipe) => !codeOf([recipe]).includes(address))).toEqual([])
})

it("where a token is required, every recipe sends it, also at the default address", () => {
  const target = { address: "http://localhost:4318", hasToken: true }
  const recipes = [...sdkRecipes(target, true), pagespanRecipe(target), curlRecipe(target)]
  expect(recipes.filter((recipe) => !codeOf([recipe]).includes("Bearer YOUR_TOKEN"))).toEqual([])
  const open = { ...target, hasToken: false }
  expect(codeOf([...sdkRecipes(open, true), pagespanRecipe(open), curlRecipe(open)])).not.toContain("YOUR_TOKEN")
})

it.each([
  [false, "SDKs on this machine need no configuration"],
  [true, "Set two variables"],
])("the connect screen with hasToken=%s says: %s", (hasToken, sentence) => {
  const settings = {
    internalServices: [],
    origins: [],
    spotlightPort: undefined,
    collectors: [],
    sentryHost: undefined,
  }
  const html = renderToString(
    createElement(ConnectView, {
      address: "http://localhost:4318",
      latest: undefined,
      settings: { ...settings, hasToken },
      renderedAt: 0,
    }),
  )
  expect(html).toContain(sentence)
  expect(html.includes("need no configuration")).toBe(!hasToken)
})

it("the element that asks for consent is code that parses, of functions that the package exports", async () => {
  const [config, element] = CONSENT_RECIPE.steps.map(({ code }) => code)
  expect(() => parse(element!, { sourceType: "module", plugins: ["jsx", "typescript"] })).not.toThrow()
  const [, names] = /import \{ (.*) \} from "pagespan\/react"/.exec(element!) ?? []
  const exported = await import("#otel/react.tsx")
  for (const name of names!.split(", ")) expect(exported).toHaveProperty(name, expect.any(Function))
  expect(config).toContain('withPagespan(nextConfig, { consent: "required" })')
})

it("the shell command sends one complete span, a new one each time", () => {
  const [step] = curlRecipe({ address: "http://localhost:4318", hasToken: false }).steps
  // The shell runs the command as pasted. A replacement of curl prints the body that it would send.
  const run = () => JSON.parse(execFileSync("sh", ["-c", `curl() { cat; }\n${step?.code}`], { encoding: "utf8" }))
  const [first, second] = [run(), run()].map((body) => body.resourceSpans[0].scopeSpans[0].spans[0])
  for (const span of [first, second]) {
    expect(parseTraceId(span.traceId)).toBe(span.traceId)
    expect(parseSpanId(span.spanId)).toBe(span.spanId)
    expect(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(1_000_000_000n)
  }
  expect(first.traceId).not.toBe(second.traceId)
})
