import type { SpanKind, SpanSource, StatusCode } from "../../protocol/records/span.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"

/**
 * The syntax tree of a filter. It is evaluated in two places with the same result: over span records in memory
 * (./match.ts), and by the store as SQL with bound values.
 *
 * A leaf is a condition on the trace, as its row in the list, or on its spans: one span must meet all of it.
 */
export type FilterTree = Logic<TraceLeaf>
export type SpanTree = Logic<SpanTest>

export type Logic<Leaf> = Leaf | Group<Leaf> | Denial<Leaf>

export interface Group<Leaf> {
  readonly is: "and" | "or"
  readonly nodes: readonly Logic<Leaf>[]
}

export interface Denial<Leaf> {
  readonly is: "not"
  readonly node: Logic<Leaf>
}

export type TraceLeaf = TraceTest | SpanLeaf

/** Holds when one span of the trace satisfies all of it. */
export interface SpanLeaf {
  readonly is: "some span"
  readonly where: SpanTree
}

export type TraceTest =
  /** Name of the root; where the root has not arrived, of the earliest span. */
  | { readonly is: "trace name"; readonly text: TextTest }
  /** From the earliest start to the latest end, nanoseconds. */
  | { readonly is: "trace duration"; readonly range: Range<bigint> }
  /** Distinct spans. */
  | { readonly is: "span count"; readonly range: Range<number> }
  /** A span failed. */
  | { readonly is: "failed" }
  /** As a row of the list shows it: distinct spans that failed; of a trace without any, errors that were reported. */
  | { readonly is: "error count"; readonly range: Range<number> }
  /** No span of the trace is without a parent. */
  | { readonly is: "missing root" }
  /** The trace lacks a span that one of its spans names as its parent. */
  | { readonly is: "missing parent" }
  /** Each of these protocols delivered a span of the trace. */
  | { readonly is: "sources"; readonly all: readonly SpanSource[] }
  /** Began at or after `from`, and before `to`. */
  | { readonly is: "started"; readonly from: Nanoseconds; readonly to: Nanoseconds | undefined }

export type SpanTest =
  | { readonly is: "name" | "service" | "status message"; readonly text: TextTest }
  | { readonly is: "trace id" | "span id"; readonly text: TextTest }
  | { readonly is: "kind"; readonly kind: SpanKind }
  | { readonly is: "status"; readonly code: StatusCode }
  | { readonly is: "source"; readonly source: SpanSource }
  /** Has no parent. */
  | { readonly is: "root" }
  | { readonly is: "duration"; readonly range: Range<bigint> }
  | AttributeTest
  /** Any attribute of the span or of one of its events has this value. */
  | { readonly is: "any value"; readonly text: TextTest }

export interface AttributeTest {
  readonly is: "attribute"
  /** Any of these: the same attribute under the names that the semantic conventions gave it over time. */
  readonly names: readonly string[]
  readonly bags: readonly AttributeBag[]
  /** `number` compares only values that are written as a number. */
  readonly value: TextTest | { readonly is: "number"; readonly range: Range<number> }
}

/** Where an attribute is: on the span, on its resource, or on one of its events. */
export type AttributeBag = "span" | "resource" | "event"

export type TextTest =
  | { readonly is: "anything" }
  | { readonly is: "equal"; readonly text: string }
  /** In lower case: the comparison ignores case. */
  | { readonly is: "contains"; readonly text: string }
  /** These pieces in this order, with anything in between: `a*b` is `a` and `b`. */
  | { readonly is: "pattern"; readonly pieces: readonly string[] }

/** Both ends are optional, and inclusive unless excluded. */
export interface Range<T extends number | bigint> {
  readonly from?: T
  readonly to?: T
  readonly fromExcluded?: boolean
  readonly toExcluded?: boolean
}

interface Named {
  readonly is: string
}

/** Evaluates a tree by the results of its leaves. */
export function decide<Leaf extends Named>(tree: Logic<Leaf>, passes: (leaf: Leaf) => boolean): boolean {
  if (isDenial(tree)) return !decide(tree.node, passes)
  if (!isGroup(tree)) return passes(tree)
  return tree.is === "and"
    ? tree.nodes.every((node) => decide(node, passes))
    : tree.nodes.some((node) => decide(node, passes))
}

export function isGroup<Leaf extends Named>(tree: Logic<Leaf>): tree is Group<Leaf> {
  return tree.is === "and" || tree.is === "or"
}

export function isDenial<Leaf extends Named>(tree: Logic<Leaf>): tree is Denial<Leaf> {
  return tree.is === "not"
}
