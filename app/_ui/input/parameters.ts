/** `searchParams` of a Next.js page. */
export type PageParameters = Readonly<Record<string, string | string[] | undefined>>

/** Converts `searchParams` to `URLSearchParams`. The first value of a repeated parameter wins. */
export function searchParameters(parameters: PageParameters): URLSearchParams {
  const result = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) result.set(name, first)
  }
  return result
}

/** The address of a screen with changed parameters. `undefined` removes one; every change removes the cursor `after`. */
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
