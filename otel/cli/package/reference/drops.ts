import { DROP_CATEGORIES, DROP_REASONS, DROP_STAGES } from "../../../protocol/records/drop.ts"
import { REASON_TEXTS, STAGE_TEXTS } from "./drop-texts.ts"
import { GENERATED, table } from "./markdown.ts"

/** `docs/reference/drops.md` */
export function dropsPage(): string {
  return `# Drops
${GENERATED}
Nothing vanishes silently: what is filtered, sampled out, cut, refused, overflowed, rate-limited, expired or failed is a drop
record, with a time, a stage, a reason, a category, a count and a sample. \`/drops\`, \`GET /api/dropped\`, \`/health\`, OTLP's partial
success, Sentry's client reports and \`pagespan tail\` all use these words. Sent = delivered + the sum of drops.

## Reasons

${table(
  ["reason", "what happened"],
  DROP_REASONS.map((reason) => [code(reason), REASON_TEXTS[reason]]),
)}

The reasons up to \`send_error\` are those of [Sentry's client reports](https://develop.sentry.dev/sdk/telemetry/client-reports/)
under their own names.

## Stages

${table(
  ["stage", "where"],
  DROP_STAGES.map((stage) => [code(stage), STAGE_TEXTS[stage]]),
)}

## Categories

${DROP_CATEGORIES.map(code).join(", ")}: Sentry's data categories, for records of every protocol.
`
}

function code(text: string): string {
  return `\`${text}\``
}
