import { afterEach, beforeEach, describe, expect, test } from "vitest"

const app = process.env["APP_URL"] ?? ""
let attempts = 0

describe("the app", () => {
  beforeEach(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2))
  })
  afterEach(() => undefined)

  test("answers", async () => {
    const response = await fetch(`${app}/connect?token=hunter2`)
    expect(response.status).toBe(200)
  })

  test("answers with another status", async () => {
    const response = await fetch(`${app}/connect`)
    expect(response.status).toBe(418)
  })

  test("answers at the second attempt", { retry: 1 }, () => {
    attempts++
    expect(attempts).toBe(2)
  })

  test.skipIf(app !== "")("is not run", () => undefined)
})
