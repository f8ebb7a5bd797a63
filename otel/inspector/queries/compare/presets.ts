import { fromMilliseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { hasTerm, termText, toggleTerm } from "../../search/index.ts"
import type { AppStart } from "../list/entry-stats.ts"
import type { Run } from "../list/run.ts"
import { ageText, momentOrAge, parseAge } from "../list/time-range.ts"
import type { Release } from "./compare-reader.ts"
import type { CompareSide } from "./compare-query.ts"

/** Comparisons that one click selects, from the current side. */
export interface Preset {
  readonly kind: "time" | "release" | "run"
  readonly label: string
  readonly a: CompareSide
  readonly b: CompareSide
}

/** The window that is compared with the one before it where a side has none. */
export const COMPARED_WINDOW = "24h"
const DAY_MS = 86_400_000
/** A trace may begin this long before the first span that names its release. */
const SLACK_MS = 60_000
/** Services whose releases are offered: those with the latest ones. */
const SERVICES = 5

interface Known {
  /** The latest first span first. */
  readonly releases: readonly Release[]
  /** The latest first. */
  readonly runs: readonly Run[]
  readonly starts: readonly AppStart[]
}

/** @param nowMs milliseconds since the epoch. */
export function presetsOf(current: CompareSide, known: Known, nowMs: number): Preset[] {
  const b = current.since === undefined ? { ...current, since: COMPARED_WINDOW } : current
  return [
    { kind: "time", label: "Previous window", a: previousWindow(b, nowMs), b },
    // The window before a day is yesterday.
    ...(lengthMs(b, nowMs) === DAY_MS
      ? []
      : [{ kind: "time" as const, label: "Yesterday", a: earlier(b, DAY_MS, nowMs), b }]),
    ...releasePresets(current, known.releases),
    ...runPresets(current, known),
  ]
}

/** The same side in the window of equal length that ends where its own begins. */
export function previousWindow(side: CompareSide, nowMs: number): CompareSide {
  return earlier(side, lengthMs(side, nowMs), nowMs)
}

function lengthMs({ since, until }: CompareSide, nowMs: number): number {
  const ms = (text: string | undefined) => millisecondsOf(momentOrAge(text ?? "", nowMs) ?? fromMilliseconds(nowMs))
  return Math.max(0, ms(until) - ms(since))
}

/** An age stays an age, so that the comparison follows the clock. */
function earlier({ filter, since, until }: CompareSide, byMs: number, nowMs: number): CompareSide {
  const age = until === undefined && since !== undefined ? parseAge(since) : undefined
  if (age !== undefined) return { filter, since: ageText(age + byMs), until: ageText(byMs) }
  const moment = (text: string | undefined) => {
    const time = text === undefined ? fromMilliseconds(nowMs) : momentOrAge(text, nowMs)
    return time === undefined ? undefined : isoText(millisecondsOf(time) - byMs)
  }
  return { filter, since: since === undefined ? undefined : moment(since), until: moment(until) }
}

/** Of each service its current release, which the filter names or which is the latest, with the one before it. */
function releasePresets({ filter }: CompareSide, releases: readonly Release[]): Preset[] {
  const services = [...new Set(releases.map(({ service }) => service))]
  const terms = new Map(releases.map((release) => [release, releaseTerm(release, releases)]))
  const termOf = (release: Release) => terms.get(release) ?? ""
  const rest = [...terms.values()].reduce(withoutTerm, filter)
  return services
    .flatMap((service) => {
      const own = releases.filter((release) => release.service === service)
      const named = own.findIndex((release) => has(filter, termOf(release)))
      const [current, previous] = own.slice(Math.max(0, named))
      if (current === undefined || previous === undefined) return []
      const side = (release: Release): CompareSide => ({
        filter: toggleTerm(rest, termOf(release)),
        since: isoText(millisecondsOf(release.first) - SLACK_MS),
        until: release === own[0] ? undefined : isoText(millisecondsOf(release.last) + SLACK_MS),
      })
      const label = `${service} ${previous.release} → ${current.release}`
      return [{ kind: "release" as const, label, a: side(previous), b: side(current) }]
    })
    .slice(0, SERVICES)
}

/** Two services may have releases of the same name. */
function releaseTerm({ service, release }: Release, releases: readonly Release[]): string {
  const term = termText("release", release)
  const isShared = releases.some((other) => other.release === release && other.service !== service)
  return isShared ? `{${termText("service", service)} ${term}}` : term
}

/** The latest run, or that which the filter names, with the one before it; without two runs the last starts of an app. */
function runPresets({ filter }: CompareSide, { runs, starts }: Known): Preset[] {
  const firsts = new Map(runs.map(({ name, since }): [string, bigint] => [name, since]))
  for (const { run, first } of starts) if (run !== "" && !firsts.has(run)) firsts.set(run, first)
  const names = [...firsts].toSorted(([, x], [, y]) => (x < y ? 1 : -1)).map(([name]) => name)
  const named = pairOf(
    filter,
    names.map((name) => ({ name, term: termText("run", name) })),
  )
  if (named.length > 0) return named
  const [latest] = starts.toSorted((x, y) => (x.first < y.first ? 1 : -1))
  const own = starts.filter(({ service, instance }) => service === latest?.service && instance !== "")
  return pairOf(
    filter,
    own
      .toSorted((x, y) => (x.first < y.first ? 1 : -1))
      .map(({ service, instance }) => ({
        name: `${service} ${instance}`,
        term: termText("service.instance.id", instance),
      })),
  )
}

interface NamedTerm {
  readonly name: string
  readonly term: string
}

/** @param terms the latest first. */
function pairOf(filter: string, terms: readonly NamedTerm[]): Preset[] {
  const named = terms.findIndex(({ term }) => has(filter, term))
  const [current, previous] = terms.slice(Math.max(0, named))
  if (current === undefined || previous === undefined) return []
  const rest = terms.map(({ term }) => term).reduce(withoutTerm, filter)
  const side = ({ term }: NamedTerm) => ({ filter: toggleTerm(rest, term), since: undefined, until: undefined })
  return [{ kind: "run", label: `${previous.name} → ${current.name}`, a: side(previous), b: side(current) }]
}

function has(filter: string, term: string): boolean {
  return term.startsWith("{") ? filter.includes(term) : hasTerm(filter, term)
}

function withoutTerm(filter: string, term: string): string {
  if (term.startsWith("{")) return filter.replace(term, "").trim()
  return hasTerm(filter, term) ? toggleTerm(filter, term) : filter
}

function millisecondsOf(time: Nanoseconds): number {
  return Number(time / 1_000_000n)
}

function isoText(ms: number): string {
  return new Date(Math.max(0, ms)).toISOString()
}
