import type { Attributes } from "@opentelemetry/api"
import type { Breadcrumb, Event } from "@sentry/core"
import { cleanAttributes } from "./clean-attributes.ts"
import { scrubAddress } from "./scrub.ts"

type Exception = NonNullable<NonNullable<Event["exception"]>["values"]>[number]
type Frame = NonNullable<NonNullable<Exception["stacktrace"]>["frames"]>[number]
type DebugImage = NonNullable<NonNullable<Event["debug_meta"]>["images"]>[number]

/**
 * An error event as it leaves: its texts without queries and credentials, as the span says them on which it happened. A
 * script in the page itself has the page's address, and Sentry finds the source map of a frame by its file's name, so that
 * both lose what follows it. What an app says by tags, user and extra is its own.
 */
export function scrubEvent(event: Event): Event {
  if (event.type !== undefined) return event
  const { message, transaction, exception, breadcrumbs, debug_meta } = event
  return {
    ...event,
    ...(message === undefined ? {} : { message: scrubAddress(message) }),
    ...(transaction === undefined ? {} : { transaction: scrubAddress(transaction) }),
    ...(exception?.values === undefined ? {} : { exception: { ...exception, values: exception.values.map(scrubbed) } }),
    ...(breadcrumbs === undefined ? {} : { breadcrumbs: breadcrumbs.map(scrubbedBreadcrumb) }),
    ...(debug_meta?.images === undefined
      ? {}
      : { debug_meta: { ...debug_meta, images: debug_meta.images.map(scrubbedImage) } }),
  }
}

function scrubbed(exception: Exception): Exception {
  const { value, stacktrace } = exception
  return {
    ...exception,
    ...(value === undefined ? {} : { value: scrubAddress(value) }),
    ...(stacktrace?.frames === undefined
      ? {}
      : { stacktrace: { ...stacktrace, frames: stacktrace.frames.map(scrubbedFrame) } }),
  }
}

function scrubbedFrame(frame: Frame): Frame {
  const { filename, abs_path } = frame
  return {
    ...frame,
    ...(filename === undefined ? {} : { filename: scrubAddress(filename) }),
    ...(abs_path === undefined ? {} : { abs_path: scrubAddress(abs_path) }),
  }
}

function scrubbedBreadcrumb(breadcrumb: Breadcrumb): Breadcrumb {
  const { message, data } = breadcrumb
  return {
    ...breadcrumb,
    ...(message === undefined ? {} : { message: scrubAddress(message) }),
    ...(data === undefined ? {} : { data: cleanAttributes(data as Attributes).attributes }),
  }
}

function scrubbedImage(image: DebugImage): DebugImage {
  return image.type === "sourcemap" ? { ...image, code_file: scrubAddress(image.code_file) } : image
}
