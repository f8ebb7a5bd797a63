import { createHash } from "node:crypto"
import { decode, encode, type SourceMapMappings } from "@jridgewell/sourcemap-codec"

/** A source map, as far as debug ids concern it. */
interface RawMap {
  readonly version?: unknown
  readonly mappings?: unknown
  readonly sections?: unknown
  readonly debugId?: unknown
  readonly debug_id?: unknown
}

/** A script and its map with the same debug id, by which an event's frames find the map. */
export interface Identified {
  readonly debugId: string
  readonly script: string
  readonly map: string
}

/** Why a script has no debug id, in words that follow its name. */
export type Unidentified = "has a source map that is not valid" | "has a directive and a source map with sections"

const COMMENT = /^\/\/# debugId=([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[ \t]*$/im
/** Characters at the end of a script in which its comments are looked for. */
const END_OF_SCRIPT = 2_000

/**
 * Gives a script and its map a debug id: a snippet at the script's start registers it where Sentry's SDKs look for it, and a
 * comment and the map name it. A pair that has one, of a bundler or of an earlier run, stays byte for byte the same. The id is
 * a hash of both, so equal builds have equal ids.
 *
 * @see https://github.com/tc39/ecma426/blob/main/proposals/debug-id.md
 */
export function identify(script: string, mapText: string): Identified | Unidentified {
  const map = parsedMap(mapText)
  if (map === undefined) return "has a source map that is not valid"
  const known = COMMENT.exec(script.slice(-END_OF_SCRIPT))?.[1]?.toLowerCase()
  if (known !== undefined) {
    const isNamed = map.debugId === known && map.debug_id === known
    return { debugId: known, script, map: isNamed ? mapText : JSON.stringify(named(map, known)) }
  }
  const at = endOfDirectives(script)
  if (at > 0 && map.sections !== undefined) return "has a directive and a source map with sections"
  const debugId = idOf(script, mapText)
  const end = script.endsWith("\n") ? "" : "\n"
  return {
    debugId,
    script: `${script.slice(0, at)}${snippet(debugId)}\n${script.slice(at)}${end}//# debugId=${debugId}\n`,
    map: JSON.stringify(named(shifted(map, script.slice(0, at)), debugId)),
  }
}

function parsedMap(text: string): RawMap | undefined {
  try {
    const map = JSON.parse(text) as RawMap | null
    const isMap = map?.version === 3 && (typeof map.mappings === "string" || Array.isArray(map.sections))
    return isMap ? map : undefined
  } catch {
    return undefined
  }
}

/** `debugId` is the name of the standard's proposal, `debug_id` the one that older versions of Sentry read. */
function named(map: RawMap, debugId: string): RawMap {
  return { ...map, debugId, debug_id: debugId }
}

/** A UUID of version 5, whose hash is of the contents. */
function idOf(...contents: readonly string[]): string {
  const hash = createHash("sha1")
  for (const content of contents) hash.update(`${content.length} `).update(content)
  const bytes = hash.digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** Registers the id under the stack of this place, which names the script. */
function snippet(debugId: string): string {
  return `!function(){try{var g="undefined"!=typeof globalThis?globalThis:"undefined"!=typeof window?window:"undefined"!=typeof self?self:global,s=(new g.Error).stack;s&&((g._sentryDebugIds=g._sentryDebugIds||{})[s]="${debugId}")}catch(e){}}();`
}

const HASHBANG = /#![^\n]*\n/y
const SPACE = /\s+/y
const DIRECTIVE = /"[^"\\\n]*"\s*;|'[^'\\\n]*'\s*;/y

/** Where the directives end, such as `"use strict"`, which code before them would turn off. 0 without any. */
function endOfDirectives(script: string): number {
  let end = matchEnd(HASHBANG, script, 0) ?? 0
  for (;;) {
    const next = matchEnd(DIRECTIVE, script, codeStart(script, end))
    if (next === undefined) return end
    end = next
  }
}

/** The first place, `from` or later, that is neither space nor in a comment. An unended comment is left as code. */
function codeStart(script: string, from: number): number {
  for (let at = from; ;) {
    const opening = script.slice(at, at + 2)
    const closing = opening === "//" ? "\n" : opening === "/*" ? "*/" : undefined
    if (closing === undefined) {
      const end = matchEnd(SPACE, script, at)
      if (end === undefined) return at
      at = end
    } else {
      const end = script.indexOf(closing, at + 2)
      if (end === -1) return at
      at = end + closing.length
    }
  }
}

function matchEnd(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** The map of a script into which one line was inserted after the text `before`. */
function shifted(map: RawMap, before: string): RawMap {
  if (Array.isArray(map.sections)) {
    const sections = (map.sections as { offset: { line: number } }[]).map((section) => ({
      ...section,
      offset: { ...section.offset, line: section.offset.line + 1 },
    }))
    return { ...map, sections }
  }
  const mappings = String(map.mappings)
  if (before === "") return { ...map, mappings: `;${mappings}` }
  const lines = decode(mappings)
  const line = before.split("\n").length - 1
  const column = before.length - before.lastIndexOf("\n") - 1
  const split: SourceMapMappings[number] = lines[line] ?? []
  const rest = split.filter(([at]) => at >= column)
  const moved = rest.map(([at, ...origin]) => [at - column, ...origin]) as SourceMapMappings[number]
  const kept = split.filter(([at]) => at < column)
  return { ...map, mappings: encode([...lines.slice(0, line), kept, moved, ...lines.slice(line + 1)]) }
}
