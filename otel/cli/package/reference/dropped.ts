import { DROP_CATEGORIES, DROP_REASONS, DROP_STAGES } from "../../../protocol/records/drop.ts"
import { REASON_TEXTS, STAGE_TEXTS } from "./drop-texts.ts"
import { GENERATED, table } from "./markdown.ts"

/** `docs/reference/dropped.md` */
export function droppedPage(): string {
  return `# Dropped data
${GENERATED}
Pagespan counts every record that is filtered, sampled out, truncated, refused, rate-limited, expired or not delivered as a drop. A drop has
a time, a stage, a reason, a category, a count and a sample. \`/dropped\`, \`GET /api/dropped\`, \`/health\`, OTLP's partial success, Sentry's
client reports and \`pagespan tail\` use the same names. For every kind of record, sent = delivered + dropped.

## Reasons

${table(
  ["reason", "meaning"],
  DROP_REASONS.map((reason) => [code(reason), REASON_TEXTS[reason]]),
)}

The reasons up to \`send_error\` are those of [Sentry's client reports](https://develop.sentry.dev/sdk/telemetry/client-reports/),
under the same names.

## Stages

${table(
  ["stage", "where"],
  DROP_STAGES.map((stage) => [code(stage), STAGE_TEXTS[stage]]),
)}

## Categories

${DROP_CATEGORIES.map(code).join(", ")}: Sentry's data categories. Records of every protocol use them.
`
}

function code(text: string): string {
  return `\`${text}\``
}
