import type { Argv } from "yargs"
import type { StackFrame } from "../../protocol/records/error.ts"
import { parseTraceId } from "../../protocol/records/ids.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { InspectorClient } from "../inspector-client.ts"
import { type Connection, withConnection } from "../options.ts"
import { openOnDesktop } from "../terminal.ts"

interface OpenOptions extends Connection {
  readonly traceId: string
  readonly editor: boolean | undefined
}

export function openCommand(parser: Argv): Argv {
  return parser.command(
    "open <traceId>",
    "Show a trace in the browser, or its code in the editor",
    (command) =>
      withConnection(command)
        .positional("traceId", { type: "string", demandOption: true, describe: "32 hexadecimal digits" })
        .option("editor", {
          type: "boolean",
          describe:
            "Open the source file of the trace's error in the editor, else the one that a span names (code.file.path)",
        })
        .example("$0 open 4bf92f3577b34da6a3ce929d0e0e4736", "Prints its address, and opens it on a desktop")
        .example(
          "$0 open 4bf92f3577b34da6a3ce929d0e0e4736 --editor",
          "Opens the source file in the editor, at its line",
        ),
    (options) => openTrace(options),
  )
}

/** `pagespan open`: prints the address of the trace, and opens it on a desktop, or the source file that it leads to. */
async function openTrace({ traceId: text, editor, ...connection }: OpenOptions): Promise<void> {
  const traceId = parseTraceId(text)
  if (traceId === undefined)
    throw new CommandError(`${JSON.stringify(text)} is not a trace ID, which has 32 hexadecimal digits`, EXIT.usage)
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const { spans } = await client.trace(traceId)
  if (spans.length === 0) throw new CommandError(`The inspector has no span of trace ${traceId}`, EXIT.refused)
  if (editor === true) return openEditor(client, [...(await placesOfErrors(client, traceId)), ...placesOfSpans(spans)])
  const url = client.screen(`/traces/${traceId}`)
  console.log(url)
  await openOnDesktop(url)
}

/** Places that are tried: most frames of a stack are of packages, or of files that the inspector does not have. */
const PLACE_LIMIT = 20
/** The newest issues, of which those are read whose latest event is in the trace. */
const ISSUE_LIMIT = "100"

/** Opens the first place that is a source file of the inspector. The editor starts on its machine. */
async function openEditor(client: InspectorClient, places: readonly string[]): Promise<void> {
  let refused: unknown = new CommandError("No error and no span of the trace names a source file", EXIT.refused)
  for (const place of places.slice(0, PLACE_LIMIT)) {
    try {
      await client.post("/open", place, { "content-type": "text/plain" })
      console.log(place)
      return
    } catch (error) {
      refused = error
    }
  }
  throw refused
}

/** Places of the errors of the trace: of each exception of the chain the innermost frame of the app first. */
async function placesOfErrors(client: InspectorClient, traceId: string): Promise<string[]> {
  const issues = (await client.errors({ limit: ISSUE_LIMIT })).filter(({ lastTraceId }) => lastTraceId === traceId)
  const details = await Promise.all(issues.map(({ issueId }) => client.issue(issueId)))
  return details
    .flatMap(({ events }) => events.filter((event) => event.traceId === traceId))
    .flatMap(({ exceptions }) => exceptions.flatMap(({ frames }) => frames.filter(isOfApp).toReversed()))
    .map(({ file, line, column }) => placeText(file, line, column))
}

function isOfApp({ file, inApp }: StackFrame): boolean {
  return inApp !== false && file !== "" && !file.startsWith("node:") && !file.includes("/node_modules/")
}

/** What spans name as their source, failed spans first, by the current attributes and the former ones. */
function placesOfSpans(spans: readonly SpanRecord[]): string[] {
  return [...spans.filter(isFailed), ...spans.filter((span) => !isFailed(span))].flatMap(({ attributes }) => {
    const file = attributes.get("code.file.path") ?? attributes.get("code.filepath")
    const line = attributes.get("code.line.number") ?? attributes.get("code.lineno")
    return typeof file === "string" ? [placeText(file, typeof line === "bigint" ? line : undefined, undefined)] : []
  })
}

function placeText(file: string, line: number | bigint | undefined, column: number | undefined): string {
  return [file, line, line && column].filter((part) => part !== undefined).join(":")
}

function isFailed({ status }: SpanRecord): boolean {
  return status.code === "error"
}
