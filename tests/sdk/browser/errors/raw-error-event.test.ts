import { expect, test } from "vitest"
import { rawErrorEvent } from "#otel/sdk/browser/errors/raw-error-event.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"

const valueOf = (thrown: unknown, message = "") =>
  rawErrorEvent({
    thrown,
    exception: undefined,
    message,
    mechanism: { type: "auto.browser.global_handlers.onerror", handled: false },
    at: 0,
    span: undefined,
    root: undefined,
    position: undefined,
  }).exception.values[0]?.value

/** A bare secret and a cookie are plain text unless they are under their key. */
const recognisable = SECRET_SHAPES.filter(([, value]) => value !== SECRET)

test.each(recognisable)("an error that no client has read contains no secret of %s = %s", (_key, value) => {
  for (const thrown of [new Error(`failed: ${value}`), `failed: ${value}`, undefined])
    expect(valueOf(thrown, `failed: ${value} (twice)`)).not.toContain(SECRET)
})

test("an error that no client has read keeps the rest of its text", () => {
  const said = "GET https://shop:hunter2@api.example/cart?token=hunter2hunter2 failed"
  expect(valueOf(new Error(said))).toBe("GET https://api.example/cart failed")
  expect(valueOf(new Error("Minified React error #418; visit https://react.dev/errors/418?args[]=HTML for more"))).toBe(
    "Minified React error #418; visit https://react.dev/errors/418 for more",
  )
  expect(valueOf(new Error("what?  50% of 1/2 is\nnot 3"))).toBe("what?  50% of 1/2 is\nnot 3")
})

test.each([
  "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
  "Cannot read properties of undefined (reading 'token')",
  "Loading chunk 7 failed.\n(error: https://shop.example/_next/static/chunks/app/items/page-5f3a9c07e1b2d846.js)",
  "Failed to fetch dynamically imported module: http://localhost:3000/@vite/client",
  "The key and the password are wrong",
])("an error that no client could read keeps %s", (said) => {
  expect(valueOf(new Error(said))).toBe(said)
})
