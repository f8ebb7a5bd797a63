import { toSegment } from "#app/_ui/input/segment.ts"

export function sessionAddress(sessionId: string): string {
  return `/sessions/${toSegment(sessionId)}`
}
