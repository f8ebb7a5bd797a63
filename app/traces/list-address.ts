import { TRACE_PAGE_SIZE } from "#otel/query/trace-list-query.ts"

interface ListPlace {
  readonly service: string | undefined
  readonly since: string | undefined
  readonly limit: number
  readonly after?: string | undefined
}

/** The URL of a page of the trace list. What is at its default is left out. */
export function listAddress({ service, since, limit, after }: ListPlace): string {
  const parameters = new URLSearchParams()
  if (service !== undefined) parameters.set("service", service)
  if (since !== undefined) parameters.set("since", since)
  if (limit !== TRACE_PAGE_SIZE) parameters.set("limit", String(limit))
  if (after !== undefined) parameters.set("after", after)
  return parameters.size === 0 ? "/traces" : `/traces?${parameters}`
}
