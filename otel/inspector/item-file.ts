import type { KeptItem } from "../model/kept-item.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"

/** Characters of a file's name. Most file systems take 255 bytes. */
const NAME_LIMIT = 80
/** What no file name holds, on any system: separators, controls, what is invisible or turns the text around. */
const UNFIT =
  // oxlint-disable-next-line no-control-regex -- they are what is meant
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"*/:<>?\\|\p{Surrogate}]+/gu

/** Below this address everything is a file that somebody sent. */
export const FILE_PATH = "/api/items/"
/** No source of anything, no frame, no script, no origin. */
export const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/**
 * The payload as a file to save. Whoever sent it may have written a page that attacks this one: no browser is to show it
 * here, by any of three ways (disposition, type, a sandbox without rights).
 */
export function itemFile(item: KeptItem): Response {
  return new Response(item.payload as Uint8Array<ArrayBuffer>, {
    headers: {
      ...DYNAMIC_HEADERS,
      "content-type": "application/octet-stream",
      "content-length": String(item.payload.length),
      "content-disposition": disposition(nameOf(item)),
      "content-security-policy": FILE_POLICY,
      "cross-origin-resource-policy": "same-origin",
    },
  })
}

/** @see https://www.rfc-editor.org/rfc/rfc6266#section-4.3 */
function disposition(name: string): string {
  const plain = name.replace(/[^\u0020-\u007e]|%/g, "_")
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()]/g, escape)}`
}

function escape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** The last part of what it was called, which may be a path; else what it is. */
function nameOf({ fileName, type, itemId, payload }: KeptItem): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? ""
  const name = last.replace(UNFIT, "_").replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "")
  if (/[^_]/.test(name)) return shortened(name)
  const isObject = payload[0] === 0x7b
  return `${type.replace(/[^\w.-]/g, "_").slice(0, 40)}-${itemId}.${isObject ? "json" : "bin"}`
}

/** The end of a name says what it is. */
function shortened(name: string): string {
  const characters = [...name]
  if (characters.length <= NAME_LIMIT) return name
  return [...characters.slice(0, NAME_LIMIT / 2), "…", ...characters.slice(-NAME_LIMIT / 2)].join("")
}
