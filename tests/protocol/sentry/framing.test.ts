import { describe, expect, test } from "vitest"
import { splitEnvelope } from "#otel/protocol/sentry/split-envelope.ts"

const bytes = (text: string) => Buffer.from(text)

function payloads(text: string): string[] {
  const split = splitEnvelope(bytes(text))
  if (!split.ok) throw new Error(split.problem)
  return split.items.map(({ payload }) => Buffer.from(payload).toString("latin1"))
}

describe("every legal framing is read", () => {
  test.each<[string, string, string[]]>([
    ["only a header", "{}", []],
    ["a header and its newline", "{}\n", []],
    ["no items but empty lines", "{}\n\n\n", []],
    ["an implicit length", '{}\n{"type":"event"}\n{"a":1}\n', ['{"a":1}']],
    ["an implicit length at the end", '{}\n{"type":"event"}\n{"a":1}', ['{"a":1}']],
    ["an explicit length", '{}\n{"type":"event","length":7}\n{"a":1}\n', ['{"a":1}']],
    ["an explicit length at the end", '{}\n{"type":"event","length":7}\n{"a":1}', ['{"a":1}']],
    ["a null length", '{}\n{"type":"event","length":null}\n{"a":1}', ['{"a":1}']],
    ["an empty payload of explicit length", '{}\n{"type":"attachment","length":0}\n\n{"type":"x"}\ny', ["", "y"]],
    ["an empty payload at the end", '{}\n{"type":"attachment","length":0}\n', [""]],
    ["an empty payload without the newline", '{}\n{"type":"attachment","length":0}', [""]],
    ["an empty payload of implicit length", '{}\n{"type":"x"}\n\n{"type":"y"}\nz', ["", "z"]],
    [
      "newlines within a payload of explicit length",
      '{}\n{"type":"a","length":5}\n1\n2\n3\n{"type":"x"}\ny',
      ["1\n2\n3", "y"],
    ],
    ["several items", '{}\n{"type":"a"}\n1\n{"type":"b","length":1}\n2\n{"type":"c"}\n3', ["1", "2", "3"]],
    [
      "lines that end in CR LF",
      '{}\r\n{"type":"a"}\r\n{"x":1}\r\n{"type":"b","length":1}\r\n2\r\n',
      ['{"x":1}\r', "2"],
    ],
    ["an empty line between items", '{}\n{"type":"a"}\n1\n\n{"type":"b"}\n2', ["1", "2"]],
  ])("%s", (_name, text, expected) => expect(payloads(text)).toStrictEqual(expected))

  test("binary payloads keep every byte", () => {
    const binary = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const split = splitEnvelope(Buffer.concat([bytes('{}\n{"type":"attachment","length":256}\n'), binary, bytes("\n")]))
    expect(split).toMatchObject({ ok: true })
    expect(split.ok && Buffer.from(split.items[0]!.payload).equals(binary)).toBe(true)
  })
})

describe("every illegal framing is refused, with a reason", () => {
  test.each([
    ["nothing at all", "", /header is not a JSON object/],
    ["a header that is not JSON", "hello\n", /header is not a JSON object/],
    ["a header that is a list", "[]\n", /header is not a JSON object/],
    ["an item header that is not JSON", "{}\nhello\n", /item's header is not a JSON object/],
    ["an item without a type", "{}\n{}\n1", /no type/],
    ["an item whose type is not text", '{}\n{"type":5}\n1', /no type/],
    ["a negative length", '{}\n{"type":"a","length":-1}\n1', /not a number of bytes/],
    ["a length with a fraction", '{}\n{"type":"a","length":1.5}\n1', /not a number of bytes/],
    ["a length as text", '{}\n{"type":"a","length":"1"}\n1', /not a number of bytes/],
    ["a length past the end", '{}\n{"type":"a","length":9}\n1', /longer than the envelope/],
    ["a length that ends within a line", '{}\n{"type":"a","length":1}\n12\n', /does not end at a line/],
    ["a length that would wrap around", '{}\n{"type":"a","length":9007199254740991}\n1', /not a number of bytes/],
  ])("%s", (_name, text, problem) => {
    expect(splitEnvelope(bytes(text))).toMatchObject({
      ok: false,
      reason: "malformed",
      problem: expect.stringMatching(problem),
    })
  })

  test("more items than an envelope may have", () => {
    const many = (count: number) => bytes(`{}\n${'{"type":"a"}\n1\n'.repeat(count)}`)
    expect(splitEnvelope(many(1_000))).toMatchObject({ ok: true })
    expect(splitEnvelope(many(1_001))).toMatchObject({ ok: false, reason: "too_large" })
  })
})
