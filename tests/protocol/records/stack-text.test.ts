import { expect, test } from "vitest"
import { readStackText } from "#otel/protocol/records/exception.ts"

const framesOf = (text: string) =>
  readStackText(text).map(({ function: name, file, line, column }) => [name, file, line, column])

test.each([
  ["V8", "    at load (https://shop.example/app.js:10:20)", ["load", "https://shop.example/app.js", 10, 20]],
  ["V8, async", "    at async load (/srv/app.js:3:4)", ["load", "/srv/app.js", 3, 4]],
  ["V8, constructor", "    at new Cart (file:///srv/cart.ts:1:2)", ["Cart", "file:///srv/cart.ts", 1, 2]],
  ["V8, no function", "    at /srv/app.js:5:6", ["", "/srv/app.js", 5, 6]],
  ["V8, alias", "    at Cart.load [as run] (/a.js:1:2)", ["Cart.load [as run]", "/a.js", 1, 2]],
  ["V8, a route group", "    at Page (/app/(shop)/page.tsx:7:9)", ["Page", "/app/(shop)/page.tsx", 7, 9]],
  ["V8, a route group and no function", "    at /app/(shop)/page-1.js:1:2", ["", "/app/(shop)/page-1.js", 1, 2]],
  [
    "webpack's module names",
    "    at Page (webpack-internal:///(rsc)/./app/page.tsx:10:15)",
    ["Page", "webpack-internal:///(rsc)/./app/page.tsx", 10, 15],
  ],
  [
    "V8, eval",
    "    at eval (eval at load (https://a/x.js:21:17), <anonymous>:1:30)",
    ["eval", "https://a/x.js", 21, 17],
  ],
  ["V8, a path with spaces", "    at load (/srv/my app/x y.js:1:2)", ["load", "/srv/my app/x y.js", 1, 2]],
  ["V8, built in", "    at Array.map (<anonymous>)", ["Array.map", "<anonymous>", undefined, undefined]],
  ["Firefox", "load@https://shop.example/app.js:10:20", ["load", "https://shop.example/app.js", 10, 20]],
  ["the JVM", "\tat com.acme.Cart.load(Cart.java:12)", ["com.acme.Cart.load", "Cart.java", 12, undefined]],
  ["Python", '  File "/srv/app.py", line 3, in load', ["load", "/srv/app.py", 3, undefined]],
])("reads a frame of %s", (_name, text, frame) => {
  expect(framesOf(text)).toStrictEqual([frame])
})

test("leaves out lines that are not frames", () => {
  expect(framesOf("TypeError: x is not a function\n    at a loss (as they say) for words")).toStrictEqual([])
})

test("puts the caller first, whatever the order of the language", () => {
  expect(framesOf("E\n    at inner (/a.js:1:1)\n    at outer (/a.js:2:2)").map(([name]) => name)).toStrictEqual([
    "outer",
    "inner",
  ])
  expect(
    framesOf('  File "a.py", line 1, in outer\n  File "a.py", line 2, in inner').map(([name]) => name),
  ).toStrictEqual(["outer", "inner"])
})
