import { randomBytes } from "node:crypto"
import type { Environment } from "../protocol/config-values.ts"
import { readPairs } from "../protocol/environment-pairs.ts"
import type { TestAttributes } from "./test-trace.ts"

/** What all spans of one test run have in common. */
export interface TestRun {
  /** Name of the run: the filter `run:<name>` finds its traces. */
  readonly name: string
  /** Attributes of the resource. */
  readonly resource: TestAttributes
}

export type Framework = "playwright" | "vitest"

/** Ends the names of CI runs, by the variable that is the same in all jobs of a pipeline. */
const PIPELINES: Readonly<Record<string, string>> = {
  GITHUB_RUN_ID: "github",
  CI_PIPELINE_ID: "gitlab",
  CIRCLE_WORKFLOW_ID: "circleci",
  BUILDKITE_BUILD_ID: "buildkite",
}
/** Characters that the name of a run may not have. */
const NOT_IN_NAMES = /[^\p{L}\p{N}._:/@+-]/gu
const NAME_LENGTH = 100

/**
 * The run, named by the first of: `given`, `pagespan.run` of `OTEL_RESOURCE_ATTRIBUTES` (which `pagespan run --name` sets),
 * the CI pipeline, so that its shards are one run, and the time.
 */
export function testRun(framework: Framework, given: string | undefined, environment: Environment, now: Date): TestRun {
  const resource = readPairs(environment["OTEL_RESOURCE_ATTRIBUTES"])
  const name = (given || resource["pagespan.run"] || pipelineName(framework, environment) || timeName(framework, now))
    .replaceAll(NOT_IN_NAMES, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .slice(0, NAME_LENGTH)
  return {
    name: name || framework,
    resource: {
      ...resource,
      // `OTEL_SERVICE_NAME` is that of an app which inherits the environment.
      "service.name": framework,
      "pagespan.run": name || framework,
      "telemetry.sdk.language": "nodejs",
      "process.runtime.version": process.versions.node,
    },
  }
}

function pipelineName(framework: Framework, environment: Environment): string | undefined {
  const variable = Object.keys(PIPELINES).find((each) => environment[each])
  if (variable === undefined) return undefined
  const attempt = environment["GITHUB_RUN_ATTEMPT"]
  return [PIPELINES[variable], environment[variable], ...(attempt ? [attempt] : []), framework].join("-")
}

function timeName(framework: Framework, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")
  return `${framework}-${time}-${randomBytes(2).toString("hex")}`
}

/** `OTEL_EXPORTER_OTLP_HEADERS` and its variant for traces, in the same form. */
export function otlpHeaders(environment: Environment): Record<string, string> {
  return {
    ...readPairs(environment["OTEL_EXPORTER_OTLP_HEADERS"]),
    ...readPairs(environment["OTEL_EXPORTER_OTLP_TRACES_HEADERS"]),
  }
}
