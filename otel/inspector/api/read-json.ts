/** The body of a request to the API as JSON, read no further than a limit. */

/** @returns the text; `undefined` for a body with more characters than the limit. */
export async function readText(request: Request, limit: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > limit) return undefined
  }
  return text
}

/** `undefined` for a text that is not JSON: the schema then reports what it expects. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
