const PROCESSOR = "new PagespanSpanProcessor({ exportToCollector: false })"

/**
 * The command for what `init` leaves to the owner of an app with `@vercel/otel`: a span processor among the options of
 * `registerOTel`.
 *
 * @param from what `sed` replaces in `instrumentation.ts`.
 * @param to its replacement, in which `PROCESSOR` stands for the span processor.
 */
export function withSpanProcessor(from: string, to: string): string {
  const options = `s/${from}/${to.replace("PROCESSOR", PROCESSOR)}/`
  return `sed -i -e '${options}' -e 's/register as registerPagespan/PagespanSpanProcessor, &/' instrumentation.ts`
}
