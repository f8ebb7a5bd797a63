/** What one folder name of a route pattern stands for, in the order in which Next prefers them. */
export const SEGMENT_RANK = { static: 0, dynamic: 1, catchAll: 2, optionalCatchAll: 3 } as const
export type SegmentKind = keyof typeof SEGMENT_RANK

export function segmentKind(segment: string): SegmentKind {
  if (segment.startsWith("[[...")) return "optionalCatchAll"
  if (segment.startsWith("[...")) return "catchAll"
  return segment.startsWith("[") ? "dynamic" : "static"
}

/** `/` and the empty path have no segments. */
export function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}
