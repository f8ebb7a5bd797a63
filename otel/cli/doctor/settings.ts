/** What the app gives its pages: a part of `PageSettings` of the SDK. */
export interface Settings {
  readonly service?: string
  readonly environment?: string
  readonly release?: string
  readonly dsn?: string
  readonly tunnel?: string
  /** Ratio of traces that are sampled. Absent: all. */
  readonly sampleRate?: number
}

/** The element with the page's settings, as React writes it. */
const META = /<meta name="pagespan" content="([^"]*)"/

/** The settings that the server wrote into a page. `undefined` if the page is static. */
export function settingsIn(html: string): Settings | undefined {
  const text = META.exec(html)?.[1]
  return text === undefined ? undefined : parsedSettings(unescaped(text))
}

/** `undefined` for another program's answer. */
export function parsedSettings(text: string): Settings | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The text of an attribute in HTML that React wrote. */
export function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
}
