import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll } from "vitest"
import { CLUSTER_SQL } from "#otel/inspector/store/schema/cluster.ts"
import { removeDirectory, temporaryDirectory } from "../directories.ts"
import { clientOf, forkStore, portOf, stop } from "../process/processes.ts"

/** A node of a cluster with the tables of `cluster.sql`, as far as one engine can be one. */
export interface ClusterNode {
  readonly port: number
  readonly client: ClickHouseClient
}

/** Nothing listens there. */
const UNREACHABLE = "<host>127.0.0.2</host><port>1</port>"
const SELF = "<host>127.0.0.1</host><port>9000</port>"

/**
 * The engine has no native protocol, no Keeper and no distributed DDL: tables are not replicated, and each statement runs on
 * this node alone. The `Distributed` tables are those of the file.
 *
 * @param shards 1: this node. 2: another one that does not answer as well, so that queries are planned for several.
 */
export function clusterNodeOfFile(shards: 1 | 2): () => ClusterNode {
  const directory = temporaryDirectory()
  const config = join(directory, "config.xml")
  let child: ReturnType<typeof forkStore> | undefined
  let node: ClusterNode | undefined
  beforeAll(async () => {
    const replicas = [SELF, UNREACHABLE].slice(0, shards)
    const shardTags = replicas.map((replica) => `<shard><replica>${replica}</replica></shard>`).join("")
    writeFileSync(
      config,
      `<clickhouse><tcp_port>9000</tcp_port><remote_servers><main>${shardTags}</main></remote_servers></clickhouse>`,
    )
    child = forkStore([`--import=${join(import.meta.dirname, "with-config.mjs")}`], { CLUSTER_CONFIG: config })
    const port = await portOf(child, join(directory, "store"))
    node = { port, client: clientOf(port) }
    for (const query of clusterStatements()) await node.client.command({ query })
  })
  afterAll(async () => {
    await node?.client.close()
    if (child) await stop(child)
    removeDirectory(directory)
  })
  return () => node!
}

/** The statements of `cluster.sql` for this node. */
function clusterStatements(): string[] {
  return readFileSync(CLUSTER_SQL, "utf8")
    .replaceAll(/^--.*$/gm, "")
    .replaceAll(/ ON CLUSTER '\{cluster\}'/g, "")
    .replaceAll("{cluster}", "main")
    .replaceAll("{days}", "7")
    .replaceAll(/Replicated(\w*MergeTree)\([^)]*\)/g, "$1")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}
