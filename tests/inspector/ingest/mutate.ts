import type { Random } from "#tests/protocol/otlp/random.ts"

/** A request to an endpoint of the receiver, as the fuzzers of OTLP and of envelopes send it. They share a corpus. */
export interface ReceiverRequest {
  readonly handler: "traces" | "logs" | "metrics" | "envelope" | "store" | "stream"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A copy of the body that is truncated, spliced with another, or has inserted, deleted or flipped bits. */
export function mutate(random: Random, body: Uint8Array, other: Uint8Array): Uint8Array {
  const bytes = Buffer.from(body)
  const at = random.below(bytes.length + 1)
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.below(other.length + 1))])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.hex(random.below(9)), "hex"), bytes.subarray(at)])
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(9))])
    default:
      for (let flips = random.below(3); flips >= 0; flips -= 1)
        if (bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
      return bytes
  }
}
