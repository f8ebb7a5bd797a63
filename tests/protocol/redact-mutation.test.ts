import { expect, test } from "vitest"
import { redactAddress, redactText } from "#otel/protocol/redact.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { HARMLESS_TEXTS } from "./harmless-texts.ts"
import type { Random } from "./otlp/random.ts"
import { SECRET_TEXTS } from "./secret-texts.ts"

/** A text, and the secrets in it that its redaction must not contain. */
interface Text {
  readonly text: string
  readonly secrets: readonly string[]
}

const GAPS = ["\n", "\r\n", " ", "\t", "\n\n", " \u00a0 ", "\u2028"]
const NOISE = [
  "",
  "\ud83d\ude00",
  "\ud800",
  "\u0000",
  "e\u0301",
  "\u202e",
  "::",
  "//",
  "=",
  '"',
  "'",
  "{",
  "]",
  "%",
  "\\",
  "@",
]
const LINES = [...HARMLESS_TEXTS, "x".repeat(500), "a=b&c=d", "at f (/app/a.js:1:2)"]

/** Texts in lines of their own, between others; or broken bytes, of which nothing is known. */
function generated(random: Random): Text {
  const bytes = () => Buffer.from(random.pick([...SECRET_TEXTS.map(([text]) => text), ...HARMLESS_TEXTS]))
  if (random.chance(0.3)) {
    const parts = random.list(6, () => mutate(random, bytes(), bytes()))
    return { text: Buffer.concat(parts).toString(), secrets: [] }
  }
  const picked = random.list(2, () => random.pick(SECRET_TEXTS))
  const [text, secret] = random.pick(SECRET_TEXTS)
  // The tables build all of their random strings from one alphabet.
  const others = [...picked.map(([other]) => other), ...random.list(4, () => random.pick([...LINES, ...NOISE]))]
  const lines = others.filter((line) => !line.includes(secret))
  lines.splice(random.below(lines.length + 1), 0, text)
  return { text: lines.flatMap((line) => [line, random.pick(GAPS)]).join(""), secrets: [secret] }
}

async function redact({ text, secrets }: Text): Promise<readonly string[]> {
  for (const redacted of [redactText(text), redactAddress(text)])
    for (const secret of secrets) if (redacted.includes(secret)) throw new Error(`it contains ${secret}`)
  const once = redactText(text)
  // Of broken text, what is left of one secret may look like the beginning of another.
  if (secrets.length > 0 && redactText(once) !== once) throw new Error("it changes when it is redacted again")
  return [once === text ? "same" : "redacted"]
}

test("texts that a fuzzer found contain no secret once they are redacted, and do not change again", async () => {
  expect(await replay<Text>({ name: "redaction", run: redact })).toBeGreaterThan(0)
})

test(
  `texts with secrets among others (seed ${FUZZ_SEED}) contain none once they are redacted, and do not change again`,
  async () => {
    const { inputs, outcomes } = await fuzz<Text>({
      name: "redaction",
      leastInputs: 2_000,
      seconds: 2,
      generate: generated,
      run: redact,
    })
    expect(outcomes.get("redacted")).toBeGreaterThan(inputs / 2)
  },
  FUZZ_LIMIT_MS,
)
