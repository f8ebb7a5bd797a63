import { expect, test } from "vitest"
import { routeOfTree } from "./route-of-tree.ts"

const PAGE = ["__PAGE__", {}]
const DEFAULT = ["__DEFAULT__", {}]

test.each([
  ["a page below a group", ["", { children: ["(shop)", { children: ["cart", { children: PAGE }] }] }], "/cart"],
  ["a parameter", ["", { children: ["items", { children: [["id", "7", "d"], { children: PAGE }] }] }], "/items/[id]"],
  [
    "a page of a parallel slot, beside the default of the others",
    ["", { children: ["team", { children: DEFAULT, views: DEFAULT, audience: ["ages", { children: PAGE }] }] }],
    "/team/ages",
  ],
])("the tree of %s shows its route", (_, tree, route) => {
  expect(routeOfTree({ __PRIVATE_NEXTJS_INTERNALS_TREE: { tree } })).toBe(route)
})

test("the state of another router shows none", () => {
  expect(routeOfTree({ url: "/" })).toBeUndefined()
})
