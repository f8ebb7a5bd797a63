import { parse } from "yaml"

interface CollectorConfiguration {
  readonly service?: {
    readonly extensions?: readonly string[]
    readonly pipelines?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
  readonly [section: string]: unknown
}

/** Finds errors in a Collector configuration: no pipeline, and pipelines that name components which are not configured. */
export function collectorProblems(text: string): string[] {
  const configuration = (parse(text) ?? {}) as CollectorConfiguration
  const pipelines = Object.values(configuration.service?.pipelines ?? {})
  if (pipelines.length === 0) return ["no pipeline"]
  const named = pipelines.flatMap((pipeline) =>
    Object.entries(pipeline).flatMap(([section, names]) => names.map((name) => ({ section, name }))),
  )
  for (const name of configuration.service?.extensions ?? []) named.push({ section: "extensions", name })
  return named
    .filter(({ section, name }) => !Object.hasOwn((configuration[section] ?? {}) as object, name))
    .map(({ section, name }) => `${section}: no ${name}`)
}
