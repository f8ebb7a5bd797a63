import { CLUSTER_SQL, clusterSql } from "../../../inspector/store/schema/cluster.ts"
import { budgetsPage } from "./budgets.ts"
import { commandPage } from "./command.ts"
import { configurationPage } from "./configuration.ts"
import { droppedPage } from "./dropped.ts"
import { redactionPage } from "./redaction.ts"

/** Files that are generated from the sources, by path. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/budgets.md", budgetsPage()],
    ["docs/reference/configuration.md", configurationPage()],
    ["docs/reference/dropped.md", droppedPage()],
    ["docs/reference/redaction.md", redactionPage()],
    ["docs/reference/command.md", await commandPage()],
    [CLUSTER_SQL, clusterSql()],
  ])
}
