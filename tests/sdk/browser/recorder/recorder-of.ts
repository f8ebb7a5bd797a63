import { Recorder, type RecorderOptions, type SpanListener } from "#otel/sdk/browser/recorder/recorder.ts"

/** A recorder of a page that samples every trace. */
export function recorderOf(...listeners: readonly SpanListener[]): Recorder {
  const resource = { attributes: {} } as RecorderOptions["resource"]
  return new Recorder({ resource, listeners, isSampled: () => true })
}
