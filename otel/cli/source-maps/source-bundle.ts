import { createHash } from "node:crypto"
import { posix } from "node:path"
import { crc32, deflateRawSync } from "node:zlib"

/** A script and its map, as they are uploaded. */
export interface UploadedScript {
  readonly debugId: string
  /** Path on the server, with the build's folder as `_next`: `/_next/static/chunks/a.js`. */
  readonly path: string
  readonly script: string
  readonly map: string
}

/** Which project and release the files belong to. */
export interface BundleOwner {
  readonly organization: string
  readonly projects: readonly string[]
  readonly release: string | undefined
  readonly dist: string | undefined
}

/** Sentry's magic bytes before the archive, and version 2 of its format. */
const HEADER = Buffer.from([0x53, 0x59, 0x53, 0x42, 2, 0, 0, 0])

/**
 * Sentry's artifact bundle: a ZIP archive behind a header, with a manifest that names each file's URL and debug id. Equal
 * files make equal bytes, so that Sentry recognizes a bundle that it has.
 *
 * @see https://getsentry.github.io/symbolicator/advanced/source-bundles/
 */
export function sourceBundle(scripts: readonly UploadedScript[], owner: BundleOwner): Buffer {
  const files = scripts.flatMap(({ debugId, path, script, map }) => {
    const mapName = `${posix.basename(path)}.map`
    return [
      { path, text: script, type: "minified_source", headers: { "debug-id": debugId, sourcemap: mapName } },
      { path: `${path}.map`, text: map, type: "source_map", headers: { "debug-id": debugId } },
    ]
  })
  const manifest = {
    files: Object.fromEntries(
      files.map(({ path, type, headers }) => [entry(path), { type, url: `~${path}`, headers }]),
    ),
    org: owner.organization,
    project: owner.projects[0],
    ...(owner.release === undefined ? {} : { release: owner.release }),
    ...(owner.dist === undefined ? {} : { dist: owner.dist }),
  }
  const identified = { ...manifest, debug_id: bundleId([JSON.stringify(manifest), ...files.map(({ text }) => text)]) }
  return archive(HEADER, [
    ...files.map(({ path, text }) => ({ name: entry(path), text })),
    { name: "manifest.json", text: JSON.stringify(identified) },
  ])
}

/** The name of a file in the archive: `_` stands for the scheme and the host. */
function entry(path: string): string {
  return `files/_/_${path}`
}

/** A UUID of the contents: the same bundle is not stored twice. */
function bundleId(contents: readonly string[]): string {
  const hash = createHash("sha1")
  for (const content of contents) hash.update(`${content.length} `).update(content)
  return hash
    .digest("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-5$3-a$4-")
}

/** Version 2.0, which has DEFLATE. */
const VERSION = 20
const UTF8_NAMES = 0x0800
const DEFLATE = 8
/** The first of January 1980, the earliest date of the format: equal files make equal archives. */
const DATE = 0x0021

/**
 * A ZIP archive of less than 4 GB and 65,536 files. Offsets count from the start of the header, as Sentry's own tool writes
 * them.
 */
function archive(header: Buffer, files: readonly { readonly name: string; readonly text: string }[]): Buffer {
  const parts = [header]
  const directory: Buffer[] = []
  let offset = header.length
  for (const { name, text } of files) {
    const content = Buffer.from(text)
    const data = deflateRawSync(content)
    const nameBytes = Buffer.from(name)
    const facts = Buffer.alloc(26)
    ;[VERSION, UTF8_NAMES, DEFLATE, 0, DATE].forEach((value, index) => facts.writeUInt16LE(value, 2 * index))
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(data.length, 14)
    facts.writeUInt32LE(content.length, 18)
    facts.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), facts, nameBytes])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from("PK\u0001\u0002"), Buffer.from([VERSION, 0]), facts, rest, nameBytes]))
    parts.push(local, data)
    offset += local.length + data.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write("PK\u0005\u0006", "latin1")
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}
