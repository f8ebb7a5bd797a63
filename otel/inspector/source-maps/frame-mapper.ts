import { realpath } from "node:fs/promises"
import { originalPositionFor, sourceContentFor, type TraceMap } from "@jridgewell/trace-mapping"
import type { StackFrame } from "../../protocol/records/error.ts"
import { findMap, indexMaps, type MapIndex, readMap, type ReadMap } from "./map-files.ts"

/** Lines of source before and after a frame's own line. */
const CONTEXT_LINES = 5
/** Characters of a line: generated sources can have lines of megabytes. */
const LINE_LIMIT = 300
/** Size on disk of the maps that are cached. */
const CACHE_BYTES = 64 * 1024 * 1024
/** Maps that one error may read. */
const MAPS_PER_ERROR = 12
/** A new build may replace the maps at any time. */
const INDEX_AGE_MS = 15_000

interface IndexedMaps {
  /** Real path of the directory. */
  readonly root: string
  readonly maps: MapIndex
  readonly expiresAt: number
}

/** Debug ids by the file of a frame. */
export type DebugIds = Readonly<Record<string, string>>

/** A frame in its original source. */
export interface MappedFrame extends StackFrame {
  /** File, line and column as the SDK reported them; absent on an unmapped frame. */
  readonly compiled?: { readonly file: string; readonly line: number; readonly column: number }
}

/**
 * Maps minified frames to their sources by the source maps below one directory: of a build, or of uploads by debug id. It reads only the maps, and shows only
 * sources that a map contains; it fetches nothing.
 */
export class FrameMapper {
  #index: IndexedMaps | undefined
  readonly #cache = new Map<string, Promise<ReadMap | undefined>>()
  #cachedBytes = 0

  /** @param directory may appear later. */
  constructor(private readonly directory: string) {}

  /**
   * The frames in the same order. Never rejects: a frame that cannot be mapped is returned unchanged.
   *
   * @param debugIds of the frames' files, as the error names them.
   */
  async map(frames: readonly StackFrame[], debugIds: DebugIds = {}): Promise<readonly MappedFrame[]> {
    const files = [...new Set(frames.map(({ file }) => file))].slice(0, MAPS_PER_ERROR)
    const { root, maps: index } = await this.#indexed()
    const maps = new Map<string, TraceMap>()
    for (const file of files) {
      const path = findMap(index, file, Object.hasOwn(debugIds, file) ? debugIds[file] : undefined)
      const map = path === undefined ? undefined : await this.#read(root, path)
      if (map !== undefined) maps.set(file, map)
    }
    return frames.map((frame) => mapFrame(frame, maps.get(frame.file)))
  }

  async #indexed(): Promise<IndexedMaps> {
    if (this.#index !== undefined && this.#index.expiresAt > performance.now()) return this.#index
    const root = await realpath(this.directory).catch(() => this.directory)
    const maps = await indexMaps(root).catch((): MapIndex => ({ byName: new Map(), byDebugId: new Map() }))
    this.#cache.clear()
    this.#cachedBytes = 0
    this.#index = { root, maps, expiresAt: performance.now() + INDEX_AGE_MS }
    return this.#index
  }

  async #read(root: string, path: readonly string[]): Promise<TraceMap | undefined> {
    const key = path.join("/")
    const cached = this.#cache.get(key)
    if (cached !== undefined) return (await cached)?.map
    const reading = readMap(root, path)
    this.#cache.set(key, reading)
    const read = await reading
    this.#cachedBytes += read?.bytes ?? 0
    await this.#evict(key)
    return read?.map
  }

  /** Evicts the oldest maps down to the limit, but never the one just read. */
  async #evict(latest: string): Promise<void> {
    for (const [key, reading] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES) return
      if (key === latest) continue
      this.#cache.delete(key)
      this.#cachedBytes -= (await reading)?.bytes ?? 0
    }
  }
}

function mapFrame(frame: StackFrame, map: TraceMap | undefined): MappedFrame {
  const origin = map === undefined || !frame.line ? undefined : originOf(map, frame.line, frame.column)
  if (origin === undefined) return frame
  const { source, line, name, lines } = origin
  const excerpt = (from: number, to: number) =>
    lines.slice(Math.max(0, from), Math.max(0, to)).map((text) => text.slice(0, LINE_LIMIT))
  return {
    ...frame,
    file: source,
    line,
    column: undefined,
    function: name ?? frame.function,
    inApp: frame.inApp ?? !source.includes("node_modules/"),
    before: excerpt(line - 1 - CONTEXT_LINES, line - 1),
    context: excerpt(line - 1, line)[0] ?? "",
    after: excerpt(line, line + CONTEXT_LINES),
    compiled: { file: frame.file, line: frame.line ?? 0, column: frame.column ?? 0 },
  }
}

/** `undefined` where the map has no position, or is corrupt: it is decoded only now. */
function originOf(map: TraceMap, compiledLine: number, compiledColumn: number | undefined) {
  try {
    // Stack traces count columns from 1, source maps from 0.
    const position = { line: compiledLine, column: Math.max(0, (compiledColumn ?? 1) - 1) }
    const { source, line, name } = originalPositionFor(map, position)
    if (typeof source !== "string" || typeof line !== "number") return undefined
    const content: unknown = sourceContentFor(map, source)
    return { source, line, name, lines: typeof content === "string" ? content.split("\n") : [] }
  } catch {
    return undefined
  }
}
