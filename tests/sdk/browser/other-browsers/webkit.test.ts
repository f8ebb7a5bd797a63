import { describe } from "vitest"
import { PLAIN } from "../cases/builds.ts"
import { testCases } from "../cases/test-cases.ts"
import { WEBKIT } from "#tests/support/browsers/tested-browsers.ts"
import { testRecords } from "./test-records.ts"

describe(`in WebKit, an app ${PLAIN.what}`, () => {
  testCases(PLAIN, WEBKIT)
})

describe("WebKit", () => {
  testRecords(WEBKIT)
})
