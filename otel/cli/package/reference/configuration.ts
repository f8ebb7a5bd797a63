import { GENERATED, table } from "./markdown.ts"
import { optionsIn, type SourceOption, textConstants } from "./source-options.ts"

const SDK = { file: "otel/sdk/config.ts", schema: "sdkSchema" }
const INSPECTOR = { file: "otel/inspector/config.ts", schema: "inspectorSchema" }
const OPTIONS = "otel/sdk/build/with-pagespan.ts"
/** How a schema names the default of a value. */
const DEFAULT = /\.(?:default|prefault)\((?<given>(?:[^()]|\([^()]*\))*)\)/
/** Named schemas and their defaults. */
const NAMED_DEFAULTS: Readonly<Record<string, string>> = { onOff: "on", portOrOff: "on" }

/** `docs/reference/configuration.md` */
export function configurationPage(): string {
  const options = optionsIn(OPTIONS, "PagespanOptions").map(({ name, about }) => [`\`${name}\``, about])
  return `# Configuration
${GENERATED}
Variables are read at run time, with two exceptions: \`output: "export"\`, which has no server, takes the settings of its pages from the
environment of the build, and \`SENTRY_RELEASE\` of the build is the default of \`release\`. The environment overrides code, and code
overrides the default. Secrets print as asterisks. An empty variable counts as unset.

## Variables of the SDK

The SDK reads these variables in your app, and none of the inspector's. A value that it cannot use does not stop your app's start.
The server logs one line with the variable, the value and what the SDK does instead: it uses the default unless the table says
otherwise. It logs the same for an unknown variable that begins with \`PAGESPAN_\`. It never logs a DSN, nor the user, password or
query of a URL.

${variables(SDK)}

OpenTelemetry's SDK reads \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_EXPORTER_OTLP_HEADERS\`, \`OTEL_EXPORTER_OTLP_TIMEOUT\`,
\`OTEL_EXPORTER_OTLP_COMPRESSION\` and \`OTEL_EXPORTER_OTLP_CERTIFICATE\` itself,
[as specified](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).

## Variables of the inspector

The inspector and the command that starts it read these variables. They read the SDK's variables too, since the inspector traces
its own server and pages. On a value that it cannot use, the inspector refuses to start, with one line that names the variable and the
value. It does the same for an unknown variable that begins with \`PAGESPAN_\`. For a value of
\`OTEL_SDK_DISABLED\`, \`OTEL_TRACES_EXPORTER\`, \`OTEL_PROPAGATORS\`, \`OTEL_BSP_*\` or a protocol that it cannot use, it logs a
warning and starts.

${variables(INSPECTOR)}

## Variables of tests, of commands and of Next

| variable | read by | meaning |
|---|---|---|
| \`PAGESPAN_URL\` | \`pagespan/testing\` | Address of the inspector that tests assert on, and send to unless an \`OTEL_EXPORTER_OTLP_*ENDPOINT\` is set. Default: that endpoint, else \`http://localhost:$PORT\`. See [where the traces go](../guide/testing.md#where-the-traces-go). |
| \`PAGESPAN_TEST_RUN_ID\` | \`pagespan/testing\` | Id of the test run, which the reporter sets for the processes of the tests. |
| \`PAGESPAN_RECORDING\` | \`pagespan/testing\` | File that \`pagespan record\` writes, which it sets for the program; \`off\` in a program of \`pagespan assert --budgets\`, of which no file remains. Reporters print it instead of addresses that nobody can open later. |
| \`OTEL_EXPORTER_OTLP_TRACES_HEADERS\` | \`pagespan/testing\`, OpenTelemetry's SDK | \`OTEL_EXPORTER_OTLP_HEADERS\` for traces alone. |
| \`CHROMIUM_PATH\` | \`pagespan doctor\` | Browser that opens the page. Default: an installed Chromium, Chrome or Edge. |
| \`SENTRY_AUTH_TOKEN\`, \`SENTRY_ORG\`, \`SENTRY_PROJECT\`, \`SENTRY_URL\`, \`SENTRY_DIST\` | \`pagespan sourcemaps\` | See [source maps](../guide/source-maps.md). |
| \`NEXT_OTEL_VERBOSE\` | Next, the SDK | \`1\`: Next makes all of its spans, and the SDK records those of loading code too. |

## Options of \`withPagespan\`

Pass them to \`withPagespan(nextConfig, options)\` from \`pagespan/next\`. All are optional and take effect at build time.

${table(["option", "meaning"], options)}
`
}

function variables({ file, schema }: typeof SDK): string {
  const constants = textConstants(file)
  const rows = optionsIn(file, schema).map((option) => [
    `\`${option.name}\``,
    defaultOf(option, constants),
    option.about,
  ])
  return table(["variable", "default", "meaning"], rows)
}

function defaultOf({ text }: SourceOption, constants: ReadonlyMap<string, string>): string {
  const named = Object.entries(NAMED_DEFAULTS).find(([name]) => text.startsWith(name))
  const written = DEFAULT.exec(text)?.groups?.["given"]?.trim().replace(/,$/, "") ?? named?.[1] ?? ""
  const resolved = written.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => constants.get(name) ?? name)
  const value = (constants.get(resolved) ?? resolved).replaceAll(/["`]|(?<=\d)_(?=\d)/g, "")
  return value === "" ? "none" : `\`${value}\``
}
