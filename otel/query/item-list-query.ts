import type { ItemListQuery } from "./kept-item-reader.ts"
import { ParameterReader } from "./parameter-reader.ts"

const PAGE_SIZE = 100
const PAGE_LIMIT = 1_000

export interface ParsedItemListQuery {
  readonly query: ItemListQuery
  readonly notices: readonly string[]
}

/** The parameters of `GET /api/items`: `type`, `limit`, `after`. */
export function parseItemListQuery(parameters: URLSearchParams): ParsedItemListQuery {
  const reader = new ParameterReader(parameters)
  const query = {
    limit: reader.limit(PAGE_SIZE, PAGE_LIMIT),
    after: reader.cursor(),
    type: reader.text("type"),
  }
  return { query, notices: reader.notices }
}
