import { LOSS_CATEGORIES, LOSS_REASONS, LOSS_STAGES } from "../../model/loss.ts"
import { REASON_TEXTS, STAGE_TEXTS } from "./loss-texts.ts"
import { GENERATED, table } from "./markdown.ts"

/** `docs/reference/losses.md` */
export function lossesPage(): string {
  return `# Losses
${GENERATED}
Nothing vanishes silently: what is filtered, sampled out, cut, refused, overflowed, rate-limited, expired or failed is a loss
record, with a time, a stage, a reason, a category, a count and a sample. \`/losses\`, \`GET /api/losses\`, \`/health\`, OTLP's partial
success, Sentry's client reports and \`pagespan tail\` all use these words. Sent = delivered + the sum of losses.

## Reasons

${table(
  ["reason", "what happened"],
  LOSS_REASONS.map((reason) => [code(reason), REASON_TEXTS[reason]]),
)}

The reasons up to \`send_error\` are those of [Sentry's client reports](https://develop.sentry.dev/sdk/telemetry/client-reports/)
under their own names.

## Stages

${table(
  ["stage", "where"],
  LOSS_STAGES.map((stage) => [code(stage), STAGE_TEXTS[stage]]),
)}

## Categories

${LOSS_CATEGORIES.map(code).join(", ")}: Sentry's data categories, for records of every protocol.
`
}

function code(text: string): string {
  return `\`${text}\``
}
