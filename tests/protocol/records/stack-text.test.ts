import { expect, test } from "vitest"
import { readException } from "#otel/protocol/records/exception.ts"
import { readStackChain, readStackText } from "#otel/protocol/records/stack-text.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

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

const JAVA = `com.acme.OrderException: cannot price the cart
\tat com.acme.Cart.price(Cart.java:41)
\tat jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
\tSuppressed: java.io.IOException: close
\t\tat com.acme.Stream.close(Stream.java:9)
\tCaused by: java.lang.Error: inner
Caused by: org.springframework.dao.DataAccessResourceFailureException: no connection
for pool "main"
\tat org.springframework.jdbc.core.JdbcTemplate.query(JdbcTemplate.java:713)
\tat app//com.acme.Prices.find(Prices.kt:12)
\t... 2 more
Caused by: java.net.ConnectException
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
\t... 14 more
`

test("reads the causes of the JVM as a chain, each with its own frames, and says which frames are libraries'", () => {
  const chain = readStackChain(JAVA)
  expect(chain.map(({ type, value }) => [type, value])).toStrictEqual([
    ["", ""],
    ["org.springframework.dao.DataAccessResourceFailureException", 'no connection\nfor pool "main"'],
    ["java.net.ConnectException", ""],
  ])
  expect(chain.map(({ frames }) => frames.map((frame) => [frame.function, frame.line, frame.inApp]))).toStrictEqual([
    [
      ["java.base/java.lang.Thread.run", 1583, false],
      ["jdk.internal.reflect.DirectMethodHandleAccessor.invoke", 103, false],
      ["com.acme.Cart.price", 41, undefined],
    ],
    [
      ["app//com.acme.Prices.find", 12, undefined],
      ["org.springframework.jdbc.core.JdbcTemplate.query", 713, false],
    ],
    [["java.base/sun.nio.ch.Net.pollConnect", undefined, false]],
  ])
})

test("keeps the root cause of a long chain", () => {
  const causes = Array.from({ length: 9 }, (_, i) => `Caused by: E${i}: m\n\tat com.acme.A.b(A.java:${i + 1})`)
  const chain = readStackChain(["T: m", ...causes].join("\n"))
  expect(chain.map(({ type }) => type)).toStrictEqual(["", "E0", "E1", "E2", "E8"])
})

test("a text without causes is one exception, with the text as it was sent", () => {
  const text = "Error: Caused by: nobody\n    at load (/a.js:1:2)"
  expect(readStackChain(text)).toMatchObject([{ stackText: text, frames: [{ function: "load" }] }])
})

test("an exception of a span has its causes, and is grouped by the frames of the application", () => {
  const read = (stack: string) =>
    readException({
      attributes: new Map([
        ["exception.type", "com.acme.OrderException"],
        ["exception.message", "cannot price the cart"],
        ["exception.stacktrace", stack],
      ]),
      time: nanoseconds(1n),
      traceId: undefined,
      spanId: undefined,
      resource: { attributes: new Map(), schemaUrl: "" },
      level: "error",
      transaction: "",
      source: "otlp",
    })
  expect(read(JAVA)?.exceptions.map(({ type }) => type)).toStrictEqual([
    "com.acme.OrderException",
    "org.springframework.dao.DataAccessResourceFailureException",
    "java.net.ConnectException",
  ])
  expect(read(JAVA.replaceAll("Thread.run", "Thread.runWith"))?.issueId).toBe(read(JAVA)?.issueId)
  expect(read(JAVA.replaceAll("Cart.price", "Cart.total"))?.issueId).not.toBe(read(JAVA)?.issueId)
})
