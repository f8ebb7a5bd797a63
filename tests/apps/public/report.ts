import { type MarkedTable, type Marks, writeBetween, writeRows } from "../marked-text.ts"
import { TABLE_HEAD } from "../table.ts"
import { PUBLIC_APPS } from "./catalogue.ts"
import { describe } from "./changes.ts"
import type { PublicApp } from "./public-app.ts"

/** The table of public apps: a row per app and bundler. */
export const APPS_TABLE: MarkedTable = {
  begin: "<!-- apps: made by `npm run test:apps -- --public` -->",
  end: "<!-- end of apps -->",
  head: TABLE_HEAD,
  // Another commit of the app replaces the row too.
  subjectOf: (row) => {
    const [app, bundler] = row.split(" | ")
    return `${app!.split(" at ")[0]} | ${bundler}`
  },
  // Sorting is stable: the bundlers of an app keep their order.
  rankOf: (row) => PUBLIC_APPS.findIndex((app) => row.startsWith(`| ${cellOf(app)}`)),
}

/** The list of changes. */
export const CHANGES: Marks = {
  begin: "<!-- changes: made by `npm run test:apps -- --public` -->",
  end: "<!-- end of changes -->",
}

/** Writes rows into the page, and the changes to all apps of the catalogue. */
export function writeApps(page: string, rows: readonly string[]): void {
  writeRows(page, APPS_TABLE, rows)
  writeBetween(page, CHANGES, changesOf(PUBLIC_APPS))
}

/** The app's first cell: where it is from. */
export function cellOf({ name, repository, commit }: PublicApp): string {
  const [, project] = repository.split("/")
  const app = name === project ? "" : `, \`${name}\``
  return `[${project}](https://github.com/${repository})${app} at \`${commit.slice(0, 7)}\``
}

/** A list of what is changed in each app, and what the reader of its rows must know. */
export function changesOf(apps: readonly PublicApp[]): string {
  const lines = apps.map(({ name, changes, notes = [] }) => {
    const sentences = [...changes.map(describe), ...notes]
    return `- \`${name}\`: ${sentences.length === 0 ? "nothing else" : sentences.join(". ")}.`
  })
  return lines.join("\n")
}
