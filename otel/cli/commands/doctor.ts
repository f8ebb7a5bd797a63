import type { Argv } from "yargs"
import { plain } from "../../protocol/line-text.ts"
import { isInspector } from "../../protocol/transport/inspector-address.ts"
import type { Finding } from "../doctor/examine-app.ts"
import type { TestError } from "../doctor/test-error.ts"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"

/** The server exports in batches, and the inspector stores in batches. */
const ARRIVAL_LIMIT_MS = 15_000
const POLL_MS = 500

export function doctorCommand(parser: Argv): Argv {
  return parser.command(
    "doctor [app]",
    "Check a running app: its page, its tunnel, and where a test error arrives",
    (command) =>
      withConnection(command)
        .positional("app", { type: "string", default: "http://localhost:3000", describe: "Address of the app" })
        .example("$0 doctor", "Sends a test error through the tunnel and says where it arrived")
        .example("$0 doctor http://localhost:3000/shop", "A page of an app with a basePath"),
    (options) => doctor(options),
  )
}

/**
 * `pagespan doctor`: examines a running app and prints what works and what is missing, with the fix. It starts nothing.
 *
 * @throws {CommandError} when the app does not answer, or something is missing.
 */
async function doctor({ app, ...connection }: Connection & { readonly app: string }): Promise<void> {
  const { examineApp } = await import("../doctor/examine-app.ts")
  if (!/^https?:/.test(app) || !URL.canParse(app))
    throw new CommandError(
      `${JSON.stringify(app)} is not the address of an app, like http://localhost:3000`,
      EXIT.usage,
    )
  const examination = await examineApp(new URL(app))
  if (examination === undefined)
    throw new CommandError(`No app answers at ${app}: start it, for example with npm run dev`, EXIT.unreachable)
  for (const finding of examination.findings) print(finding)
  const found = examination.sent && (await findInInspector(examination.sent, connection))
  if (found !== undefined) print(found)
  const missing = [...examination.findings, ...(found === undefined ? [] : [found])].filter(
    ({ fix }) => fix !== undefined,
  )
  if (missing.length > 0)
    throw new CommandError(`${missing.length} of these ${missing.length === 1 ? "is" : "are"} missing`, EXIT.failed)
}

function print({ text, fix }: Finding): void {
  console.log(`${fix === undefined ? "ok     " : "missing"}  ${plain(text)}`)
  if (fix !== undefined) console.log(`         ${fix}`)
}

/** Looks for the test error in the inspector, which the app's collector, or its DSN, may be. */
async function findInInspector({ traceId }: TestError, connection: Connection): Promise<Finding> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const { url } = connection
  if (!(await isInspector(url))) return { text: `no inspector answers at ${url}, so nothing was looked for there` }
  const client = new InspectorClient(connection)
  const deadline = Date.now() + ARRIVAL_LIMIT_MS
  while (Date.now() < deadline) {
    if ((await client.traceText(traceId)) !== undefined)
      return { text: `the inspector has the test span: ${client.screen(`/traces/${traceId}`)}` }
    await new Promise((later) => setTimeout(later, POLL_MS))
  }
  return {
    text: `the inspector at ${url} does not have the test span`,
    fix: `start the app with OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
  }
}
