import { describe } from "vitest"
import { PLAIN } from "../cases/builds.ts"
import { testCases } from "../cases/test-cases.ts"

describe.each(["late", "never"] as const)("an app whose pages get OpenTelemetry's SDK %s", (sdk) => {
  testCases({ ...PLAIN, sdk })
})
