/** A failure in the form of ClickHouse's HTTP interface. */
export class Exception extends Error {
  override readonly name = "Exception"
  readonly code: number
  readonly httpStatus: number

  constructor(code: number, type: string, message: string, httpStatus: number) {
    super(`Code: ${code}. DB::Exception: ${message} (${type})`)
    this.code = code
    this.httpStatus = httpStatus
  }
}

/** @see https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
export const refuse = {
  authentication: () => new Exception(516, "AUTHENTICATION_FAILED", "Authentication failed.", 403),
  tooLarge: (bytes: number) =>
    new Exception(307, "TOO_MANY_BYTES", `The body is larger than ${bytes} bytes once inflated.`, 413),
  encoding: (seen: string) =>
    new Exception(89, "UNKNOWN_COMPRESSION_METHOD", `Content-Encoding ${seen} is not supported.`, 415),
  badBody: () => new Exception(354, "ZLIB_INFLATE_FAILED", "The body does not inflate.", 400),
  binaryBody: (place: string) =>
    new Exception(36, "BAD_ARGUMENTS", `Binary rows need a place in the statement, behind the columns: ${place}`, 400),
  badForm: () => new Exception(36, "BAD_ARGUMENTS", "The body is not a valid form.", 400),
  externalTable: (name: string) =>
    new Exception(48, "NOT_IMPLEMENTED", `A form may have a query and parameters only, not: ${name}.`, 400),
  noQuery: () => new Exception(62, "SYNTAX_ERROR", "Empty query.", 400),
  setting: (name: string) =>
    new Exception(115, "UNKNOWN_SETTING", `Settings belong in the SQL, not in the URL: ${name}.`, 400),
  parameterName: () => new Exception(36, "BAD_ARGUMENTS", "The name of a parameter must be an identifier.", 400),
  method: () => new Exception(364, "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER", "Only GET and POST are supported.", 405),
  path: () => new Exception(364, "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER", "There is nothing at this path.", 404),
  gone: () => new Exception(107, "FILE_DOESNT_EXIST", "The store directory is missing.", 500),
  full: () => new Exception(243, "NOT_ENOUGH_SPACE", "The disk is full.", 500),
  unwritable: (why: string) =>
    new Exception(75, "CANNOT_WRITE_TO_FILE_DESCRIPTOR", `The rows cannot be written: ${why}.`, 500),
  busy: () => new Exception(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many statements are waiting.", 503),
}

/** Error codes with status 400, of those that a client's statement can cause. */
const BAD_REQUEST = new Set([6, 26, 27, 36, 38, 41, 43, 44, 47, 53, 62, 72, 115, 117, 130, 179, 386, 456])
const NOT_FOUND = new Set([60, 81])

/** Reads code and status from the text of an engine error. Any other error has ClickHouse's code 1002. */
export function fromEngine(error: unknown): Exception {
  if (error instanceof Exception) return error
  const text = error instanceof Error ? error.message : String(error)
  const match = /^Code: (\d+)\. DB::Exception: ([\s\S]*?)(?:\(([A-Z0-9_]{3,})\))?$/.exec(text.trimEnd())
  if (!match) return new Exception(1002, "UNKNOWN_EXCEPTION", text, 500)
  const code = Number(match[1])
  const status = BAD_REQUEST.has(code) ? 400 : NOT_FOUND.has(code) ? 404 : 500
  return new Exception(code, match[3] ?? "UNKNOWN_EXCEPTION", (match[2] ?? "").trimEnd(), status)
}
