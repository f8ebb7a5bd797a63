import { crc32, deflateSync } from "node:zlib"
import type { Page } from "playwright-core"

/** Size of the palette: one byte per pixel. */
const COLOURS = 256

interface Indexed {
  readonly width: number
  readonly height: number
  /** Red, green and blue of each colour. */
  readonly palette: readonly number[]
  /** A colour a pixel, row by row, as base64. */
  readonly pixels: string
}

/** Converts a screenshot to a PNG with at most 256 colours, a third of the bytes. The page must allow `data:` images. */
export async function palettePng(page: Page, screenshot: Buffer): Promise<Buffer> {
  const url = `data:image/png;base64,${screenshot.toString("base64")}`
  const { width, height, palette, pixels } = await page.evaluate(indexed, { url, colours: COLOURS })
  const rows = Buffer.from(pixels, "base64")
  const filtered = Buffer.concat(
    Array.from({ length: height }, (_, y) => [Buffer.of(0), rows.subarray(y * width, (y + 1) * width)]).flat(),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette)),
    chunk("IDAT", deflateSync(filtered, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** @see https://www.w3.org/TR/png-3/#5Chunk-layout */
function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Runs in the page. Selects the most frequent colours that are not close to each other. */
async function indexed({ url, colours }: { url: string; colours: number }): Promise<Indexed> {
  const image = new Image()
  image.src = url
  await image.decode()
  const { width, height } = image
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext("2d")
  if (context === null) throw new Error("no canvas")
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  // Nested, because the page gets the source of the outer function only.
  // oxlint-disable-next-line unicorn/consistent-function-scoping
  const distance = (a: number, b: number) =>
    Math.abs((a >> 16) - (b >> 16)) + Math.abs(((a >> 8) & 255) - ((b >> 8) & 255)) + Math.abs((a & 255) - (b & 255))
  const counts = new Map<number, number>()
  const colourAt = (at: number) => ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
  for (let at = 0; at < data.length; at += 4) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1)
  const frequent = [...counts].toSorted((a, b) => b[1] - a[1]).map(([colour]) => colour)
  // Increases the distance until the palette is small enough.
  let selected = frequent
  for (let apart = 2; selected.length > colours; apart += 2) {
    const wider: number[] = []
    for (const colour of selected) if (wider.every((other) => distance(colour, other) > apart)) wider.push(colour)
    selected = wider
  }
  const nearest = new Map<number, number>()
  for (const colour of frequent) {
    let best = 0
    for (let index = 1; index < selected.length; index++)
      if (distance(colour, selected[index] ?? 0) < distance(colour, selected[best] ?? 0)) best = index
    nearest.set(colour, best)
  }
  const pixels = new Uint8Array(width * height)
  for (let at = 0; at < data.length; at += 4) pixels[at / 4] = nearest.get(colourAt(at)) ?? 0
  let text = ""
  for (let at = 0; at < pixels.length; at += 8_192) text += String.fromCodePoint(...pixels.subarray(at, at + 8_192))
  return {
    width,
    height,
    palette: selected.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
    pixels: btoa(text),
  }
}
