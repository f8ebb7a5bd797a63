import { describe } from "vitest"
import { PLAIN } from "../cases/builds.ts"
import { testCases } from "../cases/test-cases.ts"
import { FIREFOX } from "#tests/support/browsers/tested-browsers.ts"
import { testRecords } from "./test-records.ts"

describe(`in Firefox, an app ${PLAIN.what}`, () => {
  testCases(PLAIN, FIREFOX)
})

describe("Firefox", () => {
  testRecords(FIREFOX)
})
