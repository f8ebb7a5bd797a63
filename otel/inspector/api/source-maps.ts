import type { ReadableStream } from "node:stream/web"
import type { Inspector } from "../inspector.ts"
import { json, problem, respondToAction } from "./respond.ts"

/**
 * `POST /api/source-maps/{debugId}?path=`: stores the source map of a script, gzipped or plain, under the script's debug id.
 * Pages of other origins are refused.
 */
export function uploadSourceMap(inspector: Inspector, request: Request, debugId: string): Promise<Response> {
  return respondToAction(inspector, request, "POST", async () => {
    const path = new URL(request.url).searchParams.get("path") ?? ""
    const coding = request.headers.get("content-encoding") ?? "identity"
    if (coding !== "gzip" && coding !== "identity") return problem(415, "A source map is sent as it is, or with gzip.")
    if (request.body === null) return problem(400, "The body is a source map.")
    const body = request.body as unknown as ReadableStream<Uint8Array>
    const upload = await inspector.uploadedMaps.save(debugId.toLowerCase(), path, body, coding === "gzip")
    if (upload === "too_large") return problem(413, "A source map has at most 64 MiB.")
    if (upload === "invalid") return problem(400, "Expected a debug id, the path of a script, and a source map.")
    return json({ debugId: debugId.toLowerCase(), path })
  })
}
