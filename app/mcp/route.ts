import { agentDoor } from "#otel/inspector/agent-door.ts"
import { getInspector } from "#otel/inspector/instance.ts"
import manifest from "../../package.json"

const answer = (request: Request): Promise<Response> => agentDoor(getInspector(), request, manifest.version)

export { answer as GET, answer as POST, answer as DELETE }
