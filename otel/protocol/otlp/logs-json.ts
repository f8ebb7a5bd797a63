import type { LogRecord } from "../records/log.ts"
import { type AnyValueJson, attributesToJson, type KeyValueJson } from "./traces-json.ts"

/** `LogsData` in OTLP/JSON, in the form that `traces-json.ts` has. */

export interface LogsJson {
  resourceLogs: ResourceLogsJson[]
}

interface ResourceLogsJson {
  resource: { attributes: KeyValueJson[] }
  scopeLogs: ScopeLogsJson[]
}

interface ScopeLogsJson {
  scope: { name: string; version?: string; attributes?: KeyValueJson[] }
  logRecords: LogRecordJson[]
}

interface LogRecordJson {
  timeUnixNano: string
  severityNumber?: number
  severityText?: string
  eventName?: string
  body?: AnyValueJson
  attributes?: KeyValueJson[]
  traceId?: string
  spanId?: string
}

/** Logs as OTLP/JSON, grouped by resource and scope in the order in which these first appear. */
export function logsToJson(logs: readonly LogRecord[]): LogsJson {
  const groups = new Map<string, ResourceLogsJson & { readonly scopes: Map<string, ScopeLogsJson> }>()
  for (const log of logs) {
    const resource = { attributes: attributesToJson(log.resource.attributes) }
    const group = groups.get(JSON.stringify(resource)) ?? { resource, scopeLogs: [], scopes: new Map() }
    groups.set(JSON.stringify(resource), group)
    const scope = scopeToJson(log)
    const ofScope = group.scopes.get(JSON.stringify(scope)) ?? { scope, logRecords: [] }
    group.scopes.set(JSON.stringify(scope), ofScope)
    ofScope.logRecords.push(logToJson(log))
  }
  return {
    resourceLogs: [...groups.values()].map(({ resource, scopes }) => ({ resource, scopeLogs: [...scopes.values()] })),
  }
}

function scopeToJson({ scope: { name, version, attributes } }: LogRecord): ScopeLogsJson["scope"] {
  return {
    name,
    ...(version !== "" && { version }),
    ...(attributes.size > 0 && { attributes: attributesToJson(attributes) }),
  }
}

function logToJson({ time, severityNumber, severityText, eventName, body, ...log }: LogRecord): LogRecordJson {
  const [bodyPair] = attributesToJson(new Map([["body", body]]))
  return {
    timeUnixNano: String(time),
    ...(severityNumber > 0 && { severityNumber }),
    ...(severityText !== "" && { severityText }),
    ...(eventName !== "" && { eventName }),
    ...(body !== null && bodyPair !== undefined && { body: bodyPair.value }),
    ...(log.attributes.size > 0 && { attributes: attributesToJson(log.attributes) }),
    ...(log.traceId !== undefined && { traceId: log.traceId }),
    ...(log.spanId !== undefined && { spanId: log.spanId }),
  }
}
