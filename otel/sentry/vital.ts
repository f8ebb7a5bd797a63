const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVital({ name }: { readonly name: string }): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}

/** Of a vital: name of the root that it belongs to, where it settled only after that root had gone. */
export const SEGMENT_NAME = "sentry.segment.name"
