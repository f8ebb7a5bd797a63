import { describe } from "vitest"
import { WEBPACK } from "./cases/builds.ts"
import { testCases } from "./cases/test-cases.ts"

describe(`an app ${WEBPACK.what}`, () => {
  testCases(WEBPACK)
})
