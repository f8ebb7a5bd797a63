import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { ListApp, spanIdOf, traceIdOf } from "../session/list-app.ts"
import { seriousFaults } from "../session/serious-faults.ts"

/** The heatmap, "What differs" and generative AI by the steps of their tasks, in Chromium with the real store. */
let list: ListApp
const MINUTE = 60_000

/** Five slow traces of a new release, which failed, among fifteen fast ones. */
beforeAll(async () => {
  list = await ListApp.start()
  const visits = Array.from({ length: 20 }, (_, index) => ({
    trace: index + 1,
    id: index + 1,
    name: index < 5 ? "/checkout" : "/cart",
    service: "shop",
    agoMs: (index + 2) * MINUTE,
    lengthMs: index < 5 ? 2_000 : 20,
    failed: index < 5,
    attributes: { "http.route": index < 5 ? "/checkout" : "/cart", "request.id": `r-${index}` },
    resource: { "service.version": index < 5 ? "2.0" : "1.9" },
  }))
  await list.send(...visits)
})
afterAll(() => list.stop())

const chart = (name: string) => list.page.getByRole("navigation", { name: "Chart" }).getByRole("link", { name })
const plot = () => list.page.getByRole("application", { name: /^Traces by start time and duration/ })
const rows = async () =>
  (await list.page.getByRole("table", { name: "What differs", exact: true }).getByRole("row").allInnerTexts()).map(
    (text) => text.replaceAll("\u00a0", " ").replaceAll(/\s*\n\s*|\t+/g, " | "),
  )
const groups = () => list.page.getByRole("region", { name: "What differs" }).getByText(/ against /)

describe("why are some traces slow?", () => {
  test("a heatmap shows them, in figures for assistive technology too, and a drag filters to them", async () => {
    await list.open("/traces")
    await chart("Heatmap").click()
    await plot().waitFor()
    const table = list.page.getByRole("table", { name: "Traces by start time and duration" })
    expect(await table.getByRole("row").nth(1).getByRole("cell").first().innerText()).toBe("15")
    const { x, y, width, height } = (await plot().boundingBox())!
    await list.page.mouse.move(x + 1, y + 2)
    await list.page.mouse.down()
    await list.page.mouse.move(x + width - 2, y + height / 2, { steps: 4 })
    await list.page.mouse.up()
    await list.shows(Array.from({ length: 5 }, () => "/checkout"))
    expect(list.parameters).toMatchObject({ chart: "heatmap", baseline: "", q: expect.stringMatching(/^duration>=\d/) })
    expect(list.parameters).not.toHaveProperty("since")
  })

  test("what they have in common, and the others have not, is one click further", async () => {
    await chart("What differs").click()
    await groups().waitFor()
    expect(await groups().innerText()).toMatch(/^5 traces of duration>=\S+ duration<3s against 15 other traces$/)
    expect(await rows()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^http.route \| \/checkout .*\| 100 % \| 5 \| 0 % \| 0 \| \+100 pp$/),
        expect.stringMatching(/^service.version \| 2.0 .*\| 100 % \| 5 \| 0 % \| 0 \| \+100 pp$/),
        expect.stringMatching(/^status \| error /),
      ]),
    )
    await list.page.getByText("Left out, because nearly every trace has its own value: request.id.").waitFor()
  })

  test("a value becomes a term of the filter, and Reset zoom leads back", async () => {
    await list.page.getByRole("link", { name: "2.0", exact: true }).click()
    await waitFor("the term", () => (list.parameters["q"] ?? "").endsWith(" release:2.0"))
    await list.page.getByRole("link", { name: "Reset zoom" }).click()
    await waitFor(
      "the whole list",
      () => list.parameters["q"] === undefined && list.parameters["baseline"] === undefined,
    )
  })

  test("a region of the heatmap is selected by keyboard", async () => {
    await list.open("/traces?chart=heatmap")
    await plot().focus()
    for (const key of ["PageUp", "Home", "Shift+End"]) await list.page.keyboard.press(key)
    await list.page
      .getByRole("status")
      .filter({ hasText: /2\ss to 3\ss/ })
      .waitFor({ state: "attached" })
    await list.page.keyboard.press("Enter")
    await waitFor("the durations", () => list.parameters["q"] === "duration>=2s duration<3s")
    await list.shows(Array.from({ length: 5 }, () => "/checkout"))
  })
})

test("what failed traces have in common is shown without a filter, and leads to one", async () => {
  await list.open("/traces?chart=differences")
  expect(await groups().innerText()).toBe("5 traces of status:error against 15 other traces")
  await list.page.getByRole("link", { name: "Exclude 2.0" }).click()
  await waitFor("the filter", () => list.parameters["q"] === "status:error -release:2.0")
  await list.page.getByText("No trace is in the selection.").waitFor()
})

const CALL = `/traces/${traceIdOf(50)}?span=${spanIdOf(50)}`

test("a call to a model is a conversation in full width, with the tool call beside its result, and the tokens of the trace", async () => {
  const chat = { trace: 50, name: "chat small", service: "shop", kind: 3 }
  const usage = (input: number, output: number) => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "small",
    "gen_ai.usage.input_tokens": String(input),
    "gen_ai.usage.output_tokens": String(output),
  })
  const input = [
    { role: "system", parts: [{ type: "text", content: "You are a shop assistant. ".repeat(90) }] },
    { role: "user", parts: [{ type: "text", content: "Is it in stock?" }] },
  ]
  const output = [
    { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "stock", arguments: { item: 7 } }] },
  ]
  const messages = { "gen_ai.input.messages": JSON.stringify(input), "gen_ai.output.messages": JSON.stringify(output) }
  const tool = { "gen_ai.tool.name": "stock", "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "3 left" }
  await list.send(
    {
      ...chat,
      id: 51,
      parent: 50,
      name: "execute_tool stock",
      attributes: { "gen_ai.operation.name": "execute_tool", ...tool },
    },
    { ...chat, id: 52, parent: 50, attributes: { ...usage(200, 9), "gen_ai.cost.total_tokens": "0.0021" } },
    { ...chat, id: 50, attributes: { ...usage(1_100, 40), ...messages } },
  )
  await list.open(CALL)
  const panel = list.page.getByRole("complementary").or(list.page.getByRole("article")).last()
  const items = list.page.getByRole("region", { name: "Generative AI" })
  await items.waitFor()
  const facts = (await items.innerText()).replaceAll("\u00a0", " ")
  expect(facts).toMatch(/Model\s+small\s/)
  expect(facts).toMatch(/Tokens\s+1,100 in, 40 out\s/)
  expect(facts).toMatch(/Trace\s+1,300 in, 49 out · US\$ 0.0021 in 2 calls, 1 with a cost/)
  const call = list.page.getByRole("listitem").filter({ hasText: "Tool call stock" })
  expect((await call.innerText()).replaceAll(/\s+/g, " ")).toContain('Arguments { "item": 7 } Result 3 left')
  await list.page.getByText("2,340 characters of instructions").click()
  const long = (await list.page.getByRole("region", { name: "Text of system" }).boundingBox())!
  expect(long.width).toBeGreaterThan(0.85 * (await panel.boundingBox())!.width)
  await list.send({ ...chat, trace: 70, id: 70, attributes: usage(5, 2) })
  await list.open(`/traces/${traceIdOf(70)}?span=${spanIdOf(70)}`)
  await items.getByText("in 1 call, none with a cost").waitFor()
})

test.each(["/traces?chart=heatmap", "/traces?chart=differences", CALL])(
  "%s has no serious fault to assistive technology, in light, in dark and at 390 px",
  async (path) => {
    await list.open(path)
    expect(await seriousFaults(list.page)).toEqual([])
    expect(list.violations).toEqual([])
  },
)
