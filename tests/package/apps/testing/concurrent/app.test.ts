import { describe, expect, test } from "vitest"

const app = process.env["APP_URL"] ?? ""
const TESTS = 4
let started = 0

/** Sends the request once all tests of this file run. */
async function request(path: string): Promise<void> {
  started++
  await expect.poll(() => started).toBe(TESTS)
  await fetch(`${app}${path}`)
}

describe.concurrent("at the same time", () => {
  test("errors", () => request("/errors"))
  test("routes", () => request("/routes"))
  describe.concurrent("in a suite", () => {
    test.sequential("traces", () => request("/traces"))
  })
  describe.concurrent("in another suite", () => {
    test.sequential("services", () => request("/services"))
  })
})
