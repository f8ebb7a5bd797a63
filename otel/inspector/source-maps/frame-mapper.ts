import { originalPositionFor, sourceContentFor, type TraceMap } from "@jridgewell/trace-mapping"
import type { StackFrame } from "../../protocol/records/error.ts"
import { findMap, indexMaps, type MapIndex } from "./map-index.ts"
import { readMap, type ReadMap } from "./read-map.ts"

/** Lines of source on each side of a frame's own. */
const CONTEXT_LINES = 5
/** Characters of a line: generated sources have lines of megabytes. */
const LINE_LIMIT = 300
/** Bytes of the maps kept in memory, as they are on disk, and maps read for one error at most. */
const KEPT_BYTES = 64 * 1024 * 1024
const MAPS_AN_ERROR = 12
/** A build may have replaced the maps after this long. */
const INDEX_AGE_MS = 15_000

/** A frame, and where it came from before it was compiled. */
export interface MappedFrame extends StackFrame {
  /** File, line and column as the SDK told them; absent where nothing was mapped. */
  readonly compiled?: { readonly file: string; readonly line: number; readonly column: number }
}

/**
 * Says where minified frames come from, by the source maps beneath one directory. Nothing is fetched, only the maps
 * themselves are read, and of them only sources that they bring along.
 */
export class FrameMapper {
  #index: { readonly maps: MapIndex; readonly until: number } | undefined
  readonly #kept = new Map<string, Promise<ReadMap | undefined>>()
  #keptBytes = 0

  /** @param root without links on its way. */
  constructor(private readonly root: string) {}

  /** The same frames in the same order. Never rejects: what cannot be mapped stays as it came. */
  async map(frames: readonly StackFrame[]): Promise<readonly MappedFrame[]> {
    const files = [...new Set(frames.map(({ file }) => file))].slice(0, MAPS_AN_ERROR)
    const index = await this.#indexed()
    const maps = new Map<string, TraceMap>()
    for (const file of files) {
      const path = findMap(index, file)
      const map = path === undefined ? undefined : await this.#read(path)
      if (map !== undefined) maps.set(file, map)
    }
    return frames.map((frame) => mapped(frame, maps.get(frame.file)))
  }

  async #indexed(): Promise<MapIndex> {
    if (this.#index !== undefined && this.#index.until > Date.now()) return this.#index.maps
    const maps = await indexMaps(this.root).catch((): MapIndex => new Map())
    this.#index = { maps, until: Date.now() + INDEX_AGE_MS }
    this.#kept.clear()
    this.#keptBytes = 0
    return maps
  }

  async #read(path: readonly string[]): Promise<TraceMap | undefined> {
    const key = path.join("/")
    const known = this.#kept.get(key)
    if (known !== undefined) return (await known)?.map
    const reading = readMap(this.root, path)
    this.#kept.set(key, reading)
    const read = await reading
    this.#keptBytes += read?.bytes ?? 0
    await this.#makeRoom(key)
    return read?.map
  }

  /** The one that was just read stays, however large. */
  async #makeRoom(last: string): Promise<void> {
    for (const [key, reading] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) return
      if (key === last) continue
      this.#kept.delete(key)
      this.#keptBytes -= (await reading)?.bytes ?? 0
    }
  }
}

function mapped(frame: StackFrame, map: TraceMap | undefined): MappedFrame {
  const origin = map === undefined || !frame.line ? undefined : originOf(map, frame.line, frame.column)
  if (origin === undefined) return frame
  const { source, line, name, lines } = origin
  const shown = (from: number, to: number) =>
    lines.slice(Math.max(0, from), Math.max(0, to)).map((text) => text.slice(0, LINE_LIMIT))
  return {
    ...frame,
    file: source,
    line,
    column: undefined,
    function: name ?? frame.function,
    inApp: frame.inApp ?? !source.includes("node_modules/"),
    before: shown(line - 1 - CONTEXT_LINES, line - 1),
    context: shown(line - 1, line)[0] ?? "",
    after: shown(line, line + CONTEXT_LINES),
    compiled: { file: frame.file, line: frame.line ?? 0, column: frame.column ?? 0 },
  }
}

/** `undefined` where the map does not say, or says nonsense: it is decoded only now. */
function originOf(map: TraceMap, compiledLine: number, compiledColumn: number | undefined) {
  try {
    // Stacks count columns from 1, source maps from 0.
    const place = { line: compiledLine, column: Math.max(0, (compiledColumn ?? 1) - 1) }
    const { source, line, name } = originalPositionFor(map, place)
    if (typeof source !== "string" || typeof line !== "number") return undefined
    const content: unknown = sourceContentFor(map, source)
    return { source, line, name, lines: typeof content === "string" ? content.split("\n") : [] }
  } catch {
    return undefined
  }
}
