import { GENERATED, table } from "./markdown.ts"
import { optionsIn, type SourceOption, textConstants } from "./source-options.ts"

const SCHEMA = "otel/model/config.ts"
const OPTIONS = "otel/next.ts"
/** How a schema names what stands where nothing is given. */
const DEFAULT = /\.(?:default|prefault)\((?<given>(?:[^()]|\([^()]*\))*)\)/
/** Schemas of a name of their own, with the default that they have. */
const NAMED_DEFAULTS: Readonly<Record<string, string>> = { onOff: "on", portOrOff: "on" }

/** `docs/reference/configuration.md` */
export function configurationPage(): string {
  const constants = textConstants(SCHEMA)
  const variables = optionsIn(SCHEMA, "schema").map((option) => [
    `\`${option.name}\``,
    defaultOf(option, constants),
    option.about,
  ])
  const options = optionsIn(OPTIONS, "PagespanOptions").map(({ name, about }) => [`\`${name}\``, about])
  return `# Configuration
${GENERATED}
## Variables

Read at run time, never baked into a build. Environment, then code, then default. A value that cannot be used ends the start
with one line that names the variable and the value seen; a variable that begins with \`PAGESPAN_\` and is not in this table
does too. Secrets print as stars. Empty counts as unset.

${table(["variable", "default", "meaning"], variables)}

OpenTelemetry's SDK reads \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_EXPORTER_OTLP_HEADERS\`, \`OTEL_EXPORTER_OTLP_PROTOCOL\`
(\`http/protobuf\` or \`http/json\`), \`OTEL_EXPORTER_OTLP_TIMEOUT\`, \`OTEL_EXPORTER_OTLP_COMPRESSION\` and \`OTEL_BSP_*\` itself,
[as specified](https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). \`OTEL_TRACES_EXPORTER=none\`
turns the collector off.

## Options of \`withPagespan\`

\`withPagespan(nextConfig, options)\` of \`pagespan/next\`; all are optional, and settled at build time.

${table(["option", "meaning"], options)}
`
}

function defaultOf({ text }: SourceOption, constants: ReadonlyMap<string, string>): string {
  const named = Object.entries(NAMED_DEFAULTS).find(([name]) => text.startsWith(name))
  const written = DEFAULT.exec(text)?.groups?.["given"] ?? named?.[1] ?? ""
  const resolved = written.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => constants.get(name) ?? name)
  const value = (constants.get(resolved) ?? resolved).replaceAll(/["`]|(?<=\d)_(?=\d)/g, "")
  return value === "" ? "none" : `\`${value}\``
}
