import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { countsOf, runEndToEnd } from "./end-to-end.ts"

test.each([
  ["Playwright", "  1 failed\n    [chromium] › main.spec.ts:3:1 › opens\n  2 skipped\n  9 passed (4.2s)\n", 9, 1],
  ["Playwright without failures, in colour", "\u001B[32m  13 passed\u001B[39m\u001B[2m (6.1s)\u001B[22m\n", 13, 0],
  ["Vitest", " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 11 passed (13)\n", 11, 2],
  ["Cypress", "  4 passing (3s)\n  1 failing\n", 4, 1],
])("counts of %s are read", (_, output, passed, failed) => {
  expect(countsOf(output)).toEqual({ passed, failed })
})

test("output without counts is an error that shows it", () => {
  expect(() => countsOf("Error: no tests found")).toThrow("Error: no tests found")
})

test("the command gets the server's address and a Chromium", async () => {
  const command = `test -x $CHROMIUM_PATH && echo "$PORT passed at $PLAYWRIGHT_TEST_BASE_URL, $CYPRESS_BASE_URL and $OWN"; exit 1`
  const run = await runEndToEnd(tmpdir(), command, "http://127.0.0.1:3999", { OWN: "own" })
  const output = "3999 passed at http://127.0.0.1:3999, http://127.0.0.1:3999 and own\n"
  expect(run).toEqual({ passed: 3999, failed: 0, output })
})
