import type { SpanKind } from "../../../protocol/records/span.ts"
import type { TimeColumns } from "./self-time.ts"

/** The columns of a waterfall that the critical path is computed from. */
export interface PathColumns extends TimeColumns {
  /** Rows of page loads, with the moment of their first byte where it is known. */
  readonly pages: ReadonlyMap<number, number | undefined>
  name(row: number): string
  kind(row: number): SpanKind
}

const NONE = -1

/** Names of the span of a page load that lasts from its request to the first byte: Pagespan's and those of Sentry's SDKs. */
const REQUEST_PHASES: ReadonlySet<string> = new Set(["document request", "browser.request", "request"])

/** A span that serves a page's document, below the span that waited for it. */
export interface Document {
  /** The outermost span of the servers. */
  readonly server: number
  /** The page load, or its request phase. */
  readonly waiting: number
  /** When the first byte arrived: what the server does later, the page did not wait for. */
  readonly firstByte: number
}

/**
 * Who waits for whom. A page load is the child of the server's span that rendered it, since the page learns the trace from its
 * document. But the page was first, and waited for that server: here the server's spans are below the page's.
 */
export function waits(table: PathColumns): { parent: Int32Array; documents: ReadonlyMap<number, Document> } {
  const parent = Int32Array.from(table.parent)
  const documents = new Map<number, Document>()
  for (const [page, firstByte] of table.pages) {
    const server = outermost(table, page)
    if (server === page) continue
    parent[page] = table.parent[server] ?? NONE
    // A document that a cache gave to several visitors was rendered for the first of them.
    if (documents.has(server)) continue
    const waiting = requestPhase(table, page)
    parent[server] = waiting
    documents.set(server, {
      server,
      waiting,
      firstByte: firstByte ?? endOf(table, waiting === page ? server : waiting),
    })
  }
  return { parent, documents }
}

/**
 * The outermost server above a page load: a proxy stands above the app. Where no ancestor is a server, the outermost ancestor.
 * Another page above it is not part of its document.
 */
function outermost(table: PathColumns, page: number): number {
  let last = page
  let server = page
  for (let row = table.parent[page] ?? NONE; row !== NONE && !table.pages.has(row); row = table.parent[row] ?? NONE) {
    last = row
    if (table.kind(row) === "server") server = row
  }
  return server === page ? last : server
}

function requestPhase(table: PathColumns, page: number): number {
  for (let row = page + 1; row < table.parent.length && (table.parent[row] ?? NONE) >= page; row++)
    if (table.parent[row] === page && REQUEST_PHASES.has(table.name(row))) return row
  return page
}

function endOf({ offset, duration }: TimeColumns, row: number): number {
  return (offset[row] ?? 0) + (duration[row] ?? 0)
}
