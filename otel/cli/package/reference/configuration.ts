import { GENERATED, table } from "./markdown.ts"
import { optionsIn, type SourceOption, textConstants } from "./source-options.ts"

const SDK = { file: "otel/sdk/config.ts", schema: "sdkSchema" }
const INSPECTOR = { file: "otel/inspector/config.ts", schema: "inspectorSchema" }
const OPTIONS = "otel/sdk/build/with-pagespan.ts"
/** How a schema names what stands where nothing is given. */
const DEFAULT = /\.(?:default|prefault)\((?<given>(?:[^()]|\([^()]*\))*)\)/
/** Schemas of a name of their own, with the default that they have. */
const NAMED_DEFAULTS: Readonly<Record<string, string>> = { onOff: "on", portOrOff: "on" }

/** `docs/reference/configuration.md` */
export function configurationPage(): string {
  const options = optionsIn(OPTIONS, "PagespanOptions").map(({ name, about }) => [`\`${name}\``, about])
  return `# Configuration
${GENERATED}
Variables are read at run time, never baked into a build. Environment, then code, then default. Secrets print as stars. Empty
counts as unset.

## Variables of the SDK

The SDK reads these in your app, and none of the inspector's. A value that it cannot use does not end your app's start: the
server's log has one line that names the variable, the value seen and what the SDK does instead, which is the default unless the
table says otherwise. So has it for a variable that begins with \`PAGESPAN_\` and is in neither table. A DSN is never printed,
nor are a user, a password and a query in an address.

${variables(SDK)}

OpenTelemetry's SDK reads \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_EXPORTER_OTLP_HEADERS\`, \`OTEL_EXPORTER_OTLP_TIMEOUT\`,
\`OTEL_EXPORTER_OTLP_COMPRESSION\`, \`OTEL_EXPORTER_OTLP_CERTIFICATE\` and \`OTEL_BSP_*\` itself,
[as specified](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).

## Variables of the inspector

The inspector, and the command that starts it, read these. They read the SDK's too, since the inspector's own server and pages
are traced. A value that cannot be used ends the start with one line that names the variable and the value seen; a variable that
begins with \`PAGESPAN_\` and is in neither table does too. How the SDK exports is left out of that: for
\`OTEL_SDK_DISABLED\`, \`OTEL_TRACES_EXPORTER\` and the protocols the inspector warns, as any app does.

${variables(INSPECTOR)}

## Options of \`withPagespan\`

\`withPagespan(nextConfig, options)\` of \`pagespan/next\`; all are optional, and settled at build time.

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
