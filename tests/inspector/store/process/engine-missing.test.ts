import { expect, test } from "vitest"
import { loadEngine } from "#otel/inspector/store/process/engine.ts"

function notInstalled(): never {
  throw Object.assign(new Error("Cannot find module 'chdb'"), { code: "MODULE_NOT_FOUND" })
}

test("without chDB, an error of one sentence says what to do", () => {
  expect(() => loadEngine(notInstalled)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^No embedded engine on this platform .* set CLICKHOUSE_URL [^.]*\.$/),
      permanent: true,
    }),
  )
})
