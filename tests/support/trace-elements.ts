export const TRACE_ELEMENTS: readonly string[] = ["baggage", "pagespan", "sentry-trace", "traceparent"]
const ELEMENT = new RegExp(`<meta name="(${TRACE_ELEMENTS.join("|")})" content="([^"]*)"`, "g")

/** The `<meta>` elements of a trace in the HTML at an address: their names in order, whether all are in the head, and the trace. */
export async function traceElements(url: string) {
  const html = await (await fetch(url)).text()
  const elements = [...html.matchAll(ELEMENT)]
  const last = elements.at(-1)
  return {
    names: elements.map(([, name]) => name!).toSorted(),
    isInHead: last === undefined || last.index < html.indexOf("</head>"),
    traceparent: elements.find(([, name]) => name === "traceparent")?.[2],
  }
}
