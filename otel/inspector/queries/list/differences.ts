import { attributeText, quoteIfNeeded, termText } from "../../search/index.ts"
import { SHORT_NAMES } from "../../search/fields.ts"

/**
 * What differs between some traces, the selection, and the others of a window and a filter, the baseline: the attributes and
 * values that occur more often in the selection.
 */
export interface Differences {
  readonly selection: TraceGroup
  readonly baseline: TraceGroup
  /** The largest difference first. */
  readonly attributes: readonly AttributeDifference[]
  /** Attributes of which nearly every trace has its own value, such as ids: they say nothing about other traces. */
  readonly omitted: readonly string[]
}

export interface TraceGroup {
  readonly traces: number
  /** Traces whose attributes were counted: all of them, or a sample by a hash of their ids. */
  readonly sampled: number
}

export interface AttributeDifference {
  /** A field of the filter language, such as `service`, or the name of an attribute. */
  readonly name: string
  readonly isField: boolean
  /** The largest difference first. */
  readonly values: readonly ValueDifference[]
}

export interface ValueDifference {
  readonly value: string
  /** Sampled traces of each group with a span that has the value. */
  readonly selection: number
  readonly baseline: number
  /** The share in the selection less the share in the baseline, 0 to 1. */
  readonly difference: number
}

/** Traces of a group whose attributes are counted. The error of a share is then at most 3 percentage points, at 95 %. */
export const SAMPLED_TRACES = 1_000
/** Spans of the sampled traces of a group. Beyond it the sample has fewer traces, at least one. */
export const SAMPLED_SPANS = 100_000
/** Smaller differences are left out: chance makes some of 4 percentage points between two samples of a thousand. */
const LEAST_DIFFERENCE = 0.05
/** A value that one trace of several has may be there by chance. */
export const LEAST_TRACES = 2
/** Values of one attribute. */
export const SHOWN_VALUES = 5
const SHOWN_ATTRIBUTES = 50
/** Values in characters. Longer ones make no filter that a URL should hold. */
export const VALUE_LENGTH = 200

/** Sums of one attribute, as the store reads them. */
export interface AttributeCounts {
  readonly name: string
  readonly isField: boolean
  /** Distinct values. */
  readonly values: number
  /** Sampled traces that have a value, summed over the values. */
  readonly occurrences: number
  /** The values with the largest difference of shares. */
  readonly top: readonly (readonly [value: string, selection: number, baseline: number])[]
}

/** An attribute with so few values may have a different one in each trace by chance. */
const FEW_VALUES = 10

function isUnique({ values, occurrences }: AttributeCounts): boolean {
  return values > FEW_VALUES && occurrences < 2 * values
}

/**
 * Ranks attributes by the largest difference of one of their values.
 *
 * @param without fields and attributes that the filter of the selection names: they differ because they were selected.
 */
export function rankDifferences(
  counts: readonly AttributeCounts[],
  selection: TraceGroup,
  baseline: TraceGroup,
  without: ReadonlySet<string>,
): Differences {
  const share = (count: number, group: TraceGroup) => (group.sampled === 0 ? 0 : count / group.sampled)
  const known = counts.filter(({ name }) => !without.has(name))
  const attributes = known
    .filter((each) => !isUnique(each))
    .map(({ name, isField, top }): AttributeDifference => {
      const values = top
        .map(([value, ofSelection, ofBaseline]) => ({
          value,
          selection: ofSelection,
          baseline: ofBaseline,
          difference: share(ofSelection, selection) - share(ofBaseline, baseline),
        }))
        .filter(({ difference }) => difference >= LEAST_DIFFERENCE)
      return { name, isField, values }
    })
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => (b.values[0]?.difference ?? 0) - (a.values[0]?.difference ?? 0) || (a.name < b.name ? -1 : 1))
  return {
    selection,
    baseline,
    attributes: attributes.slice(0, SHOWN_ATTRIBUTES),
    omitted: known.filter(isUnique).map(({ name }) => name),
  }
}

const SHORT: ReadonlyMap<string, string> = new Map([...SHORT_NAMES].map(([short, name]) => [name, short]))
/** Fields whose `:` searches for a part of the text. */
const PROSE: ReadonlySet<string> = new Set(["name", "span.name"])

/** The term of the filter language that selects the traces with the value. */
export function termOf({ name, isField }: Pick<AttributeDifference, "name" | "isField">, value: string): string {
  if (isField) return PROSE.has(name) ? `${name}=${quoteIfNeeded(value)}` : termText(name, value)
  const short = SHORT.get(name)
  return short === undefined ? attributeText(name, value) : termText(short, value)
}

/** The differences as `GET /api/traces/differences` and the MCP tool send them. */
export interface DifferencesJson {
  readonly selection: TraceGroup & { readonly filter: string }
  readonly baseline: TraceGroup & { readonly filter: string }
  readonly attributes: readonly {
    readonly attribute: string
    readonly values: readonly {
      readonly value: string
      /** Adds the value to a filter. */
      readonly term: string
      readonly selection: { readonly traces: number; readonly share: number }
      readonly baseline: { readonly traces: number; readonly share: number }
      readonly difference: number
    }[]
  }[]
  readonly omitted: readonly string[]
}

/** @param filters of the two groups, as text. */
export function differencesToJson(
  { selection, baseline, attributes, omitted }: Differences,
  filters: { readonly selection: string; readonly baseline: string },
): DifferencesJson {
  return {
    selection: { filter: filters.selection, ...selection },
    baseline: { filter: filters.baseline, ...baseline },
    attributes: attributes.map((attribute) => ({
      attribute: attribute.name,
      values: attribute.values.map(({ value, difference, ...traces }) => ({
        value,
        term: termOf(attribute, value),
        selection: shareOf(traces.selection, selection),
        baseline: shareOf(traces.baseline, baseline),
        difference,
      })),
    })),
    omitted,
  }
}

function shareOf(traces: number, { sampled }: TraceGroup) {
  return { traces, share: traces / sampled }
}
