import type { ErrorEvent, ExceptionRecord, StackFrame } from "../../../protocol/records/error.ts"
import { debugIdsOf } from "../../source-maps/debug-ids.ts"
import type { MappedFrame } from "../../source-maps/frame-mapper.ts"
import type { SourceMaps } from "../../source-maps/source-maps.ts"
import type { IssueDetail } from "./issue.ts"

/** An exception with frames in their original source, where a source map covers them. */
export interface MappedException extends ExceptionRecord {
  readonly frames: readonly MappedFrame[]
}

/** An issue whose events have such exceptions. */
export interface MappedIssue extends IssueDetail {
  readonly events: readonly (ErrorEvent & { readonly exceptions: readonly MappedException[] })[]
}

/**
 * The issue with the frames of its events in their original source. Lines of source come with its newest event alone: most
 * events of an issue have the same.
 */
export async function mapIssue(
  issue: IssueDetail | undefined,
  sourceMaps: SourceMaps | undefined,
): Promise<MappedIssue | undefined> {
  if (issue === undefined) return undefined
  const events = issue.events.map(async (event, index) => {
    const exceptions = await mapExceptions(event, sourceMaps)
    return { ...event, exceptions: index === 0 ? exceptions : withLinesOf(event.exceptions, exceptions) }
  })
  return { ...issue, events: await Promise.all(events) }
}

/** The exceptions of an event; frames that no source map covers are unchanged. Never rejects. */
export function mapExceptions(
  event: ErrorEvent,
  sourceMaps: SourceMaps | undefined,
): Promise<readonly MappedException[]> {
  const map = async (frames: readonly StackFrame[]) => (await sourceMaps?.map(frames, debugIdsOf(event))) ?? frames
  return Promise.all(event.exceptions.map(async (exception) => ({ ...exception, frames: await map(exception.frames) })))
}

/** The mapped exceptions with the lines of source that were reported, not those of the source maps. */
function withLinesOf(
  reported: readonly ExceptionRecord[],
  mapped: readonly MappedException[],
): readonly MappedException[] {
  return mapped.map((exception, index) => ({
    ...exception,
    frames: exception.frames.map((frame, position) => {
      const { before = [], context = "", after = [] } = reported[index]?.frames[position] ?? {}
      return { ...frame, before, context, after }
    }),
  }))
}
