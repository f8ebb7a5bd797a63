/** What Next gives a page as `searchParams`. */
export type PageParameters = Readonly<Record<string, string | string[] | undefined>>

/** The same as `URLSearchParams`, which the read API has too. Of a parameter that is given twice, the first counts. */
export function searchParameters(parameters: PageParameters): URLSearchParams {
  const result = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) result.set(name, first)
  }
  return result
}

/** The address of a screen with some parameters changed. `undefined` takes one away; a place in the list goes with any change. */
export function withParameters(
  path: string,
  parameters: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const result = new URLSearchParams(parameters)
  result.delete("after")
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) result.delete(name)
    else result.set(name, value)
  }
  return addressOf(path, result)
}

export function addressOf(path: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? path : `${path}?${parameters}`
}
