/**
 * Requests that servers have been attacked with, as bytes of HTTP/1.1. Each is sent as it is, and the fuzzer mutates it. Add
 * what the fuzzer finds.
 */

const HOST = "host: localhost\r\n"
const JSON_TYPE = "content-type: application/json\r\n"
const EMPTY = "content-length: 0\r\n\r\n"
const POST = `POST /v1/traces HTTP/1.1\r\n${HOST}${JSON_TYPE}`
const GET = `GET /health HTTP/1.1\r\n${HOST}`
const ENVELOPE = `POST /api/1/envelope/ HTTP/1.1\r\n${HOST}`

export const CORPUS: readonly (readonly [name: string, request: string])[] = [
  ["two lengths that differ", `${POST}content-length: 2\r\ncontent-length: 40\r\n\r\n{}`],
  ["a list of lengths", `${POST}content-length: 2, 40\r\n\r\n{}`],
  ["a negative length", `${POST}content-length: -1\r\n\r\n{}`],
  ["a length in hexadecimal", `${POST}content-length: 0x2\r\n\r\n{}`],
  ["a length with a sign", `${POST}content-length: +2\r\n\r\n{}`],
  ["a length beyond 64 bits", `${POST}content-length: 99999999999999999999999\r\n\r\n{}`],
  ["a length and chunks", `${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${GET}\r\n`],
  ["chunks twice", `${POST}transfer-encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["an encoding that is almost chunked", `${POST}transfer-encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["an encoding after a folded line", `${POST}transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  ["a space before the colon", `${POST}content-length : 2\r\n\r\n{}`],
  ["a chunk with an extension", `${POST}transfer-encoding: chunked\r\n\r\n2;a=b;c="d"\r\n{}\r\n0\r\n\r\n`],
  [
    "a chunk with a long extension",
    `${POST}transfer-encoding: chunked\r\n\r\n2;${"x".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    "many chunks with extensions",
    `${POST}transfer-encoding: chunked\r\n\r\n${"1;ext=y\r\n \r\n".repeat(5_000)}0\r\n\r\n`,
  ],
  ["a chunk of a negative size", `${POST}transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`],
  ["a chunk of a size beyond 64 bits", `${POST}transfer-encoding: chunked\r\n\r\n${"f".repeat(20)}\r\n{}`],
  ["a chunk without its line feed", `${POST}transfer-encoding: chunked\r\n\r\n2\r{}\r\n0\r\n\r\n`],
  ["trailers", `${POST}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nhost: evil.example\r\n\r\n`],
  ["endless trailers", `${POST}transfer-encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(5_000)}`],
  ["two hosts", `GET /live HTTP/1.1\r\n${HOST}host: evil.example\r\n\r\n`],
  ["no host", "GET /live HTTP/1.1\r\n\r\n"],
  ["an absolute address of another host", `GET http://evil.example/live HTTP/1.1\r\n${HOST}\r\n`],
  ["a header of 20 KiB", `${GET}x: ${"y".repeat(20_480)}\r\n\r\n`],
  ["a path of 20 KiB", `GET /${"y".repeat(20_480)} HTTP/1.1\r\n${HOST}\r\n`],
  ["three thousand headers", `${GET}${"x: y\r\n".repeat(3_000)}\r\n`],
  ["an empty header name", `${GET}: x\r\n\r\n`],
  ["a NUL in a header", `${GET}x: a\0b\r\n\r\n`],
  ["lines that end in a line feed alone", "GET /health HTTP/1.1\nhost: localhost\n\n"],
  ["version 1.0", "GET /health HTTP/1.0\r\nhost: localhost\r\n\r\n"],
  ["version 0.9", "GET /health\r\n"],
  ["version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["an unknown version", `GET /health HTTP/9.9\r\n${HOST}\r\n`],
  ["a hundred requests at once", `${GET}\r\n`.repeat(100)],
  ["requests with bodies at once", `${POST}content-length: 2\r\n\r\n{}`.repeat(20)],
  ["a refused body with a request in it", `${ENVELOPE}content-length: 70\r\n\r\n${GET}\r\n`],
  ["an expectation", `${POST}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`],
  ["an unknown expectation", `${POST}expect: 200-ok\r\ncontent-length: 2\r\n\r\n{}`],
  ["an upgrade to a socket", `${GET}connection: upgrade\r\nupgrade: websocket\r\n\r\n\x81\x05hello`],
  [
    "an upgrade to HTTP/2",
    `${POST}connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMA\r\n${EMPTY}`,
  ],
  ["a tunnel", `CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`],
  ["a trace of the request", `TRACE /live HTTP/1.1\r\n${HOST}cookie: a=b\r\n\r\n`],
  ["a method that is none", `${"A".repeat(40)} / HTTP/1.1\r\n${HOST}\r\n`],
  ["all methods at once", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
  ["a path with escapes", `GET /%2e%2e/%00/..%5c..%5c HTTP/1.1\r\n${HOST}\r\n`],
  ["a path with two slashes", `GET //evil.example/%2f.. HTTP/1.1\r\n${HOST}\r\n`],
  ["a handshake of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["bytes that are nothing", "\0\0\0\0\xff\xff\xff\xff\r\n\r\n"],
  ["a sign-in", `POST /sign-in HTTP/1.1\r\n${HOST}content-length: 11\r\n\r\ntoken=wrong`],
  ["an envelope without a key", `${ENVELOPE}content-length: 30\r\n\r\n{"dsn":"http://x@localhost/1"}`],
]
