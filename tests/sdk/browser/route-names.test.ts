import { describe } from "vitest"
import { PLAIN } from "./cases/builds.ts"
import { testCases } from "./cases/test-cases.ts"

describe(`an app ${PLAIN.what}`, () => {
  testCases(PLAIN)
})
