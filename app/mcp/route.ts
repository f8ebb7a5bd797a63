import { getInspector } from "#otel/inspector/instance.ts"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import manifest from "../../package.json"

const answer = (request: Request): Promise<Response> => mcpHandler(getInspector(), request, manifest.version)

export { answer as GET, answer as POST, answer as DELETE }
