import { describe } from "vitest"
import { CACHED } from "./cases/builds.ts"
import { testCases } from "./cases/test-cases.ts"

describe(`an app ${CACHED.what}`, () => {
  testCases(CACHED)
})
