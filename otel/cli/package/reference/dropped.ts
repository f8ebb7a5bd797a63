import { DROP_CATEGORIES, DROP_REASONS, DROP_STAGES } from "../../../protocol/records/drop.ts"
import { REASON_TEXTS, STAGE_TEXTS } from "./drop-texts.ts"
import { GENERATED, table } from "./markdown.ts"

/** `docs/reference/dropped.md` */
export function droppedPage(): string {
  return `# Dropped data
${GENERATED}
Pagespan counts every record that is filtered, sampled out, truncated, refused, rate-limited, expired or not delivered as a drop. A drop has
a time, a stage, a reason, a category, a count and a sample. \`/dropped\`, \`GET /api/dropped\`, \`/health\`, OTLP's partial success
and \`pagespan tail\` use the same names. Sentry's client reports have the nearest of Sentry's own: \`buffer_overflow\` for
\`limit_spans\` and \`expired\`, \`event_processor\` for what filters drop. For every kind of record, sent = delivered + dropped.

## In a server without an inspector

An app's server without an inspector in its process logs what it cannot deliver, in lines like
\`pagespan: 512 spans did not reach the collector (send_error: 401 from http://collector:4318/v1/traces)\`. The first drop of each stage,
reason and destination is logged at once, and further ones at most once a minute, with their sum. No line has a secret. Not logged are what
sampling and filters drop, what was sent without a part of it, and what pages report, which anybody can send.

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
