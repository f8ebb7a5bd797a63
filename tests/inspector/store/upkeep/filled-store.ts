import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client"
import { type ClickHouse, connect } from "#otel/inspector/store/clickhouse.ts"
import { enforceLimits } from "#otel/inspector/store/schema/size-limit.ts"
import type { DropCategory, DropRecord } from "#otel/protocol/records/drop.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "../directories.ts"
import { clientOf, portOf, processOfTest, TOKEN } from "../process/processes.ts"
import { ago, span } from "../spans.ts"
import { DAY_MS, storeOfTest } from "../stores.ts"
import type { TestStore } from "../test-store.ts"

/** A store whose limits a test enforces. */
export interface FilledStore {
  readonly store: TestStore
  readonly client: ClickHouseClient
  /** Returns the drops. */
  readonly enforce: (enforced: Enforced) => Promise<DropRecord[]>
}

interface Enforced {
  readonly maxBytes?: number
  readonly retentionMs?: number
  /** Of each query. */
  readonly memory?: number
  /** Whether the drops are stored too. */
  readonly storesDrops?: boolean
  /** Statements that fail. */
  readonly fails?: RegExp
  /** Drops that find a full disk, each once. */
  readonly fullFor?: DropCategory
}

/** A store with some spans on each of the given days before today. */
export async function filled(days: readonly number[]): Promise<FilledStore> {
  const port = await portOf(processOfTest(), directoryOfTest())
  const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
  const store = storeOfTest({ url }, { retentionMs: 30 * DAY_MS })
  await store.ready()
  for (const day of days) {
    const spans = Array.from({ length: 1_000 }, (_, index) =>
      span(day * 10 + 1 + Math.floor(index / 500), day * 10_000 + index + 1, {
        startTime: ago(day * DAY_MS + 1_000 - index),
        attributes: new Map([["random", Math.random().toString(36).repeat(5)]]),
      }),
    )
    await store.insertSpans(spans, `day ${day}`)
  }
  const enforce: FilledStore["enforce"] = async ({ maxBytes = 2 ** 40, retentionMs = 30 * DAY_MS, ...limited }) => {
    const drops: DropRecord[] = []
    let isFull = true
    await enforceLimits(limitedClient(connect({ url, embedded: true }), limited), {
      maxBytes,
      now: ago(0),
      oldest: ago(retentionMs),
      save: async () => {},
      async record(drop, id) {
        if (isFull && drop.category === limited.fullFor) {
          isFull = false
          throw new ClickHouseError({ code: "243", message: "no space", type: "NOT_ENOUGH_SPACE" })
        }
        drops.push(drop)
        if (limited.storesDrops) await store.insertDrops([drop], id)
      },
    })
    return drops
  }
  return { store, client: clientOf(port), enforce }
}

function limitedClient(clickhouse: ClickHouse, { memory, fails }: Enforced): ClickHouse {
  const check = (sql: string) => {
    if (fails?.test(sql)) throw new ClickHouseError({ code: "159", message: "made up", type: "TIMEOUT_EXCEEDED" })
  }
  const settings = memory === undefined ? "" : `max_memory_usage = ${memory}, max_threads = 1`
  return {
    ...clickhouse,
    async run(sql, parameters) {
      check(sql)
      await clickhouse.run(sql, parameters)
    },
    async select(sql, parameters) {
      check(sql)
      const joint = settings && (sql.includes("SETTINGS") ? "," : " SETTINGS")
      return clickhouse.select(`${sql}${joint} ${settings}`, parameters)
    },
  }
}

export async function countRows(client: ClickHouseClient, table: string): Promise<number> {
  const answer = await client.query({ query: `SELECT count() FROM ${table}`, format: "TabSeparated" })
  return Number(await answer.text())
}

/** Bytes on the disk of all records, or of those of a day: the date in digits. */
export async function bytes(client: ClickHouseClient, day = ""): Promise<number> {
  const answer = await client.query({
    query: `SELECT sum(bytes_on_disk) FROM system.parts
      WHERE active AND table != 'pagespan_migrations' AND '${day}' IN ('', partition_id)`,
    format: "TabSeparated",
  })
  return Number(await answer.text())
}
