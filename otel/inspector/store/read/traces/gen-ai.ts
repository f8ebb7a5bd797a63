import type { TraceId } from "../../../../protocol/records/ids.ts"
import { type GenAiSpans, USAGE_NAMES } from "../../../queries/gen-ai/gen-ai-call.ts"
import { PART_LIMIT, partText } from "../../../queries/gen-ai/messages.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { IN_TRACE, readTraceTime } from "./read-trace.ts"

/** Models and results of tools of a trace, at most. */
const MODELS = 20
const RESULTS = 200
const LIMITS = readLimits({ seconds: 10, rows: RESULTS })

/** Agents and workflows sum up the calls within them, and tools call no model. */
const OUTER = ["invoke_agent", "invoke_workflow", "create_agent", "execute_tool"]

/** The first of the attributes that is a number. Constants of the sources. */
function numberSql(names: readonly string[]): string {
  return `coalesce(${names.map((name) => `toFloat64OrNull(SpanAttributes['${name}'])`).join(", ")})`
}

interface TotalsRow {
  readonly calls: number
  readonly pricedCalls: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
  readonly cost: number | null
  readonly models: readonly string[]
}

/**
 * What the calls to models of a trace used in all, and the results of its tools. A span that came over both protocols counts
 * once. Spans of agents count only where no span within them has tokens.
 */
export async function readGenAi(context: ReadContext, traceId: TraceId): Promise<GenAiSpans> {
  const time = await readTraceTime(context, traceId)
  if (time === undefined) return { totals: { calls: 0, pricedCalls: 0, models: [] }, results: new Map() }
  const [[totals], results] = await Promise.all([
    context.clickhouse.select<TotalsRow>(totalsSql(context), time),
    context.clickhouse.select<{ id: string; result: string; length: number }>(resultsSql(context), time),
  ])
  return {
    totals: {
      calls: totals?.calls ?? 0,
      pricedCalls: totals?.pricedCalls ?? 0,
      models: totals?.models ?? [],
      inputTokens: totals?.inputTokens ?? undefined,
      outputTokens: totals?.outputTokens ?? undefined,
      cachedTokens: totals?.cachedTokens ?? undefined,
      reasoningTokens: totals?.reasoningTokens ?? undefined,
      cost: totals?.cost ?? undefined,
    },
    results: new Map(
      results.map(({ id, result, length }) => [
        id,
        length > PART_LIMIT ? { text: result, cutFrom: length } : partText(result),
      ]),
    ),
  }
}

function totalsSql(context: ReadContext): string {
  const usage = Object.entries(USAGE_NAMES).map(([name, names]) => `${numberSql(names)} AS ${name}`)
  const sums = Object.keys(USAGE_NAMES).map((name) => `sumOrNull(used.${name}) AS ${name}`)
  return `SELECT toUInt32(count()) AS calls, toUInt32(count(used.cost)) AS pricedCalls, ${sums.join(", ")},
      arrayFilter(each -> each != '', topK(${MODELS})(model)) AS models
    FROM (
      SELECT *, max(NOT isOuter) OVER () AS hasInner FROM (
        SELECT ${usage.join(", ")}, SpanAttributes['gen_ai.operation.name'] IN ('${OUTER.join("', '")}') AS isOuter,
          if(SpanAttributes['gen_ai.response.model'] != '', SpanAttributes['gen_ai.response.model'],
            SpanAttributes['gen_ai.request.model']) AS model
        FROM ${context.from("otel_traces")}
        WHERE ${IN_TRACE} AND arrayExists(key -> startsWith(key, 'gen_ai.'), mapKeys(SpanAttributes)) LIMIT 1 BY SpanId
      ) WHERE inputTokens IS NOT NULL OR outputTokens IS NOT NULL OR cost IS NOT NULL
    ) AS used WHERE NOT (isOuter AND hasInner) ${LIMITS}`
}

function resultsSql(context: ReadContext): string {
  const result = `if(SpanAttributes['gen_ai.tool.call.result'] != '', SpanAttributes['gen_ai.tool.call.result'],
    SpanAttributes['gen_ai.tool.output'])`
  return `SELECT SpanAttributes['gen_ai.tool.call.id'] AS id, leftUTF8(${result}, ${PART_LIMIT}) AS result,
      toUInt32(lengthUTF8(${result})) AS length
    FROM ${context.from("otel_traces")} WHERE ${IN_TRACE} AND id != '' AND result != ''
    ORDER BY Timestamp LIMIT 1 BY id LIMIT ${RESULTS} ${LIMITS}`
}
