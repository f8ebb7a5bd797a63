import { isHarmlessValue, isSecretKey, SOMETIMES_SECRET, WHOLE_LINE } from "./secret-names.ts"

/**
 * Finds values that a text assigns to secret names: `name=value`, `name: value`, JSON (also inside a string), literals of
 * programming languages, forms (`user[password]=`), percent encoding. The scan reads each character a bounded number of
 * times, whatever the text: it decides by the first characters of a value, and goes on behind each value that it replaces.
 */

/** Where a value is in its text. */
interface Range {
  readonly start: number
  readonly end: number
}

/** A name before a separator. */
interface Name {
  readonly text: string
  readonly start: number
  /** Whether quotes enclose the name by itself. */
  readonly isQuoted: boolean
}

/** Longer names have only their end compared, and longer values are never harmless. */
const LENGTH_LIMIT = 64

/** Replaces the values that the text assigns to secret names. */
export function redactAssignments(text: string, replacement: string): string {
  let redacted = ""
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const separator = separatorAt(text, at)
    const value = separator === undefined ? undefined : secretAt(text, at, separator)
    if (value === undefined) continue
    redacted += text.slice(copied, value.start) + replacement
    copied = value.end
    at = value.end - 1
  }
  return copied === 0 ? text : redacted + text.slice(copied)
}

function separatorAt(text: string, at: number): string | undefined {
  const code = text.charCodeAt(at)
  if (code === 0x3d) return "="
  // Most colons are part of an address.
  if (code === 0x3a) return text.charCodeAt(at + 1) === 0x2f && text.charCodeAt(at + 2) === 0x2f ? undefined : ":"
  return code === 0x25 && text.charCodeAt(at + 1) === 0x33 && /[ad]/i.test(text[at + 2] ?? "") ? "%3D" : undefined
}

/** The secret that the separator assigns, if it assigns one. */
function secretAt(text: string, at: number, separator: string): Range | undefined {
  const name = nameBefore(text, at)
  if (name === undefined) return undefined
  const isSecret = isSecretKey(name.text) || (name.text === "value" && isSecretKey(nameOfPair(text, name)))
  if (!isSecret && !SOMETIMES_SECRET.test(name.text)) return undefined
  const start = valueStart(text, at, separator, name)
  if (start === undefined) return undefined
  const head = headOf(text.slice(start, start + LENGTH_LIMIT), separator.length > 1)
  if (!(isSecret ? !isHarmlessValue(name.text, head) : isOpaque(text, name, separator, start, head))) return undefined
  const value = valueAt(text, start, separator, name)
  return value.end > value.start ? value : undefined
}

/** By UTF-16 code: whether it is that of a letter, a digit, `_`, `.` or `-`. */
const NAME_CODES = Uint8Array.from({ length: 128 }, (_, code) => (/[\w.-]/.test(String.fromCharCode(code)) ? 1 : 0))

/** Whether a UTF-16 code is that of a letter, a digit, `_`, `.` or `-`. */
export function isNameCode(code: number): boolean {
  return code < 128 && NAME_CODES[code] === 1
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Reads backwards from a separator: `name`, `"name"`, `\"name\"`, `$row['name']`, `user[name]`, `%22name%22`. */
function nameBefore(text: string, at: number): Name | undefined {
  let end = at
  while (isBlank(text.charCodeAt(end - 1))) end--
  if (text[end - 1] === "]") end--
  else if (text[end - 3] === "%" && /^5d$/i.test(text.slice(end - 2, end))) end -= 3
  const isQuoted = isQuote(text.charCodeAt(end - 1))
  if (isQuoted) for (end--; text[end - 1] === "\\";) end--
  else if (text[end - 3] === "%" && text[end - 2] === "2" && /[27]/.test(text[end - 1] ?? "")) end -= 3
  let start = end
  const first = Math.max(0, end - LENGTH_LIMIT)
  while (start > first && isNameCode(text.charCodeAt(start - 1))) start--
  // The digits of a percent-encoded character are no part of the name.
  if (text[start - 1] === "%") start = Math.min(start + 2, end)
  return start === end ? undefined : { text: text.slice(start, end), start, isQuoted }
}

/** `{"name":"password","value":"…"}` and `name="password" value="…"`: the name that a value belongs to. */
function nameOfPair(text: string, { start }: Name): string {
  const before = text.slice(Math.max(0, start - 2 * LENGTH_LIMIT), start)
  return /(?:name|key)\\*["']?[=:] ?\\*["']([\w.-]+)\\*["'][\s,]{0,8}\\*["']?$/.exec(before)?.[1] ?? ""
}

/** Whether the value of a common name looks like a secret, given where it stands. */
function isOpaque(text: string, name: Name, separator: string, start: number, head: string): boolean {
  if (/pw|pass/i.test(name.text)) return separator === "=" && /\D/.test(head) && !isHarmlessValue(name.text, head)
  const isParameter =
    /sig|hmac/i.test(name.text) ||
    /[?&]|%26|%3f/i.test(text.slice(Math.max(0, name.start - 3), name.start)) ||
    text[start + head.length] === "&"
  return isParameter && (/\d/.test(head) ? head.length >= 6 : head.length >= 20) && /^[\w%+/=.~-]+$/.test(head)
}

/** Where the value begins, behind the separator; `undefined` if the separator assigns nothing. */
function valueStart(text: string, at: number, separator: string, name: Name): number | undefined {
  let start = at + separator.length
  if (separator === "=") {
    while (text[start] === "=") start++
    // An arrow follows a key only in a literal. Elsewhere it makes a function.
    if (text[start] === ">" && !name.isQuoted) return undefined
    if (text[start] === ">") start++
  } else if (separator === ":") {
    // A path of modules, a scheme, the label of a route.
    if (text[start] === ":" || text.startsWith("//", start)) return undefined
    if (text[name.start - 1] === "/" && isBlank(text.charCodeAt(start))) return undefined
    if (/unexpected $/i.test(text.slice(Math.max(0, name.start - 11), name.start))) return undefined
    if (text[start] === "=") start++
  }
  while (isBlank(text.charCodeAt(start))) start++
  return start === text.length || text[start] === "\n" || text[start] === "\r" ? undefined : start
}

/** Quotes that open a value: plain, escaped, or percent-encoded. */
const OPENING = /^(?:\\*["'`]|%2[27])/
const SHORT_LITERAL = /^\[?(?:\\*["'`]|%2[27])([^"'`\\%]*)(?:\\*["'`]|%2[27])|^(\{\{[^{}]*\}\})/

/** A short value without its quotes, or the start of a longer one, to compare it with harmless values. */
function headOf(text: string, isEncoded: boolean): string {
  const literal = SHORT_LITERAL.exec(text)
  return literal?.[1] ?? literal?.[2] ?? (OPENING.test(text) ? text : text.slice(0, endOfWord(text, 0, isEncoded)))
}

function valueAt(text: string, start: number, separator: string, name: Name): Range {
  const quote = OPENING.exec(text.slice(start, start + LENGTH_LIMIT))?.[0]
  if (quote !== undefined) return quotedRange(text, start + quote.length, quote)
  if (text[start] === "[" || text[start] === "{") return { start, end: endOfBracket(text, start) }
  if (WHOLE_LINE.test(name.text)) return { start, end: endOfLine(text, start, separator, name) }
  return { start, end: endOfWord(text, start, separator.length > 1) }
}

/** To the quote that closes, behind no more backslashes than the one that opens. Without one, to the end of the line. */
function quotedRange(text: string, start: number, quote: string): Range {
  if (quote.startsWith("%")) {
    const end = text.indexOf(quote, start)
    return { start, end: end === -1 ? text.length : end }
  }
  const mark = quote.slice(-1)
  for (let end = start, slashes = 0; end < text.length; end++) {
    const character = text[end]
    if (character === "\n" && mark !== "`") return { start, end }
    if (character === mark && slashes < quote.length) return { start, end: end - slashes }
    slashes = character === "\\" ? slashes + 1 : 0
  }
  return { start, end: text.length }
}

/** To the bracket that closes, without those in quotes. Without one, to the end of the text. */
function endOfBracket(text: string, start: number): number {
  let depth = 0
  let quote = ""
  for (let end = start; end < text.length; end++) {
    const character = text[end] ?? ""
    if (character === "\\") end++
    else if (quote !== "") quote = character === quote ? "" : quote
    else if (isQuote(character.charCodeAt(0))) quote = character
    else if (character === "[" || character === "{") depth++
    else if ((character === "]" || character === "}") && --depth === 0) return end + 1
  }
  return text.length
}

/** The rest of a header's line. Quotes around one of its parameters are part of it. */
const LINE_REST = /(?:="[^"\r\n]*"?|[^\r\n"\\]|\\(?![nr"']))*/y

/** To the end of a header's line, or to the quote that encloses the header, or to the next parameter of a form. */
function endOfLine(text: string, start: number, separator: string, name: Name): number {
  const line = matchAt(LINE_REST, text, start)
  const enclosing = name.isQuoted ? -1 : line.indexOf(/["'`]/.exec(text[name.start - 1] ?? "")?.[0] ?? "\n")
  const next = separator === ":" ? -1 : line.indexOf("&")
  return start + Math.min(...[line.length, enclosing, next].filter((end) => end !== -1))
}

/** To the delimiter that ends an unquoted value. A password may hold any of them, so that each needs what comes after it. */
const WORD_REST =
  /(?:[^\s&<"'`,;\\]+|["'`](?![\s,;:)\]}>\\"'`]|$)|[,;](?!\s|$|\\*["'`]?[\w.-]{1,64}\\*["'`]?[=:])|\\(?!["'`](?:[\s,;:)\]}>\\"'`]|$)))*/y
const BRACKETS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }

function endOfWord(text: string, start: number, isEncoded: boolean): number {
  let word = matchAt(WORD_REST, text, start)
  const encoded = isEncoded ? word.search(/%2[267]/) : -1
  if (encoded !== -1) word = word.slice(0, encoded)
  // Brackets around the whole, if the value has not opened them itself.
  for (let trimmed = 0; trimmed < 3; trimmed++) {
    const opening = BRACKETS[word.slice(-1)]
    if (opening === undefined || word.includes(opening)) break
    word = word.slice(0, -1)
  }
  return start + word.length
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}
