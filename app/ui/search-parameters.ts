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
