import { z } from "zod"
import type { Inspector } from "../inspector.ts"
import { FILTER_SCREENS, savedFilterToJson, WATCH_MEASURES } from "../queries/saved-filters/saved-filter.ts"
import { parseJson, readText } from "./read-json.ts"
import { json, noContent, problem, respond, respondToAction } from "./respond.ts"

/** Characters of the longest filter, escaped. */
const BODY_LIMIT = 32_768

const filterRequest = z.strictObject({
  /** Of the filter to change; without it a new one is saved. */
  id: z.string().optional(),
  name: z.string().trim(),
  screen: z.enum(FILTER_SCREENS),
  parameters: z.record(z.string(), z.string()).default({}),
  watch: z
    .strictObject({ measure: z.enum(WATCH_MEASURES), above: z.number(), window: z.string() })
    .nullish()
    .transform((watch) => watch ?? undefined),
})

/** `GET /api/filters`: the saved filters by name, each with the address of its screen. */
export function listFilters(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, () =>
    orRefused(async () => {
      const filters = await inspector.savedFilters.list()
      return json({ filters: filters.map(savedFilterToJson) })
    }),
  )
}

/** `POST /api/filters`: saves a filter, or changes the one with the given id. Only pages of this origin may. */
export function saveFilter(inspector: Inspector, request: Request): Promise<Response> {
  return respondToAction(inspector, request, "POST", async () => {
    const body = await readText(request, BODY_LIMIT)
    if (body === undefined) return problem(413, `A filter has at most ${BODY_LIMIT} characters.`)
    const parsed = filterRequest.safeParse(parseJson(body))
    if (!parsed.success) return problem(400, `The filter is invalid: ${z.prettifyError(parsed.error)}`)
    return orRefused(async () => json({ filter: savedFilterToJson(await inspector.savedFilters.save(parsed.data)) }))
  })
}

/** `DELETE /api/filters/{id}`: 404 when no filter has the id. */
export function deleteFilter(inspector: Inspector, request: Request, id: string): Promise<Response> {
  return respondToAction(inspector, request, "DELETE", () =>
    orRefused(async () =>
      (await inspector.savedFilters.remove(id)) ? noContent() : problem(404, "No saved filter has this id."),
    ),
  )
}

async function orRefused(act: () => Promise<Response>): Promise<Response> {
  try {
    return await act()
  } catch (error) {
    // By name: the start command and the screens are bundled apart, so each has a class of its own.
    if (error instanceof Error && error.name === "SavedFilterRefused") return problem(400, error.message)
    throw error
  }
}
