"use client"

import { useEffect, useState } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { attributeKey, type Completing, quoteIfNeeded } from "#otel/inspector/queries/filters.ts"
import type { Language } from "./language.ts"

/** A completion of the filter. */
export interface Suggestion {
  /** Text to insert. */
  readonly insert: string
  readonly label: string
  readonly about?: string | undefined
}

interface KnownValue {
  readonly value: string
  readonly spans: number
}

const SHOWN = 14
/** Delay in milliseconds before the store is queried, so that typing sends no requests. */
const PAUSE_MS = 120

/** Completions at the cursor: from the filter language at once, from the store after a pause. */
export function useSuggestions(completing: Completing | undefined, language: Language): readonly Suggestion[] {
  const { fields, counted, selects } = language
  const of: Record<string, string> = selects === "logs" ? { of: "logs" } : {}
  const field = completing?.what === "value" ? fields.find(({ key }) => key === completing.key) : undefined
  const isFixed = field?.words !== undefined || field?.compares !== undefined
  const attributes = useKnownValues(completing === undefined ? undefined : attributesAddress(of), "attributes", selects)
  const valuesAddress =
    completing?.what === "value" && !isFixed && completing.key !== "has"
      ? attributesAddress({ ...of, name: completing.key, text: completing.typed })
      : undefined
  const values = useKnownValues(valuesAddress, "values", completing?.what === "value" ? completing.key : "")
  if (completing === undefined) return []
  if (completing.what === "key") return keySuggestions(completing.typed, attributes, language)
  const { typed } = completing
  if (completing.key === "has") return attributesLike(typed, attributes, "", counted).slice(0, SHOWN)
  if (field?.words !== undefined)
    return field.words.filter((word) => word.startsWith(typed)).map((word) => ({ insert: word, label: word }))
  return values
    .map(({ value, spans }) => ({ insert: quoteIfNeeded(value), label: value, about: countText(spans, counted) }))
    .slice(0, SHOWN)
}

function keySuggestions(typed: string, attributes: readonly KnownValue[], { fields, counted }: Language): Suggestion[] {
  const matching = fields
    .filter(({ key }) => key.includes(typed.toLowerCase()))
    .toSorted((a, b) => Number(b.key.startsWith(typed)) - Number(a.key.startsWith(typed)))
    .map(({ key, about, compares }) => ({ insert: compares === undefined ? `${key}:` : `${key}>`, label: key, about }))
  const named = typed === "" ? [] : attributesLike(typed, attributes, ":", counted)
  return [...matching, ...named].slice(0, SHOWN)
}

function attributesLike(
  typed: string,
  attributes: readonly KnownValue[],
  behind: string,
  counted: string,
): Suggestion[] {
  return attributes
    .filter(({ value }) => value.toLowerCase().includes(typed.toLowerCase()))
    .map(({ value, spans }) => ({
      insert: `${attributeKey(value)}${behind}`,
      label: value,
      about: countText(spans, counted),
    }))
}

function countText(count: number, what: string): string | undefined {
  return count > 0 ? `${formatCount(count)} ${what}` : undefined
}

function attributesAddress(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters)
  return query.size === 0 ? "/api/attributes" : `/api/attributes?${query}`
}

const NOTHING: readonly KnownValue[] = []

/**
 * A list from the read API. While loading, keeps the previous list of the same field or language; empty after a failure.
 *
 * @param of what the values are of.
 */
function useKnownValues(address: string | undefined, part: "attributes" | "values", of: string): readonly KnownValue[] {
  const [known, setKnown] = useState({ of, values: NOTHING })
  useEffect(() => {
    if (address === undefined) return undefined
    const stop = new AbortController()
    const load = async () => {
      try {
        const response = await fetch(address, { signal: stop.signal })
        const body = (await response.json()) as Partial<Record<typeof part, readonly KnownValue[]>>
        setKnown({ of, values: body[part] ?? NOTHING })
      } catch {
        // Aborted, or the store is unavailable. The filter works without suggestions.
        if (!stop.signal.aborted) setKnown({ of, values: NOTHING })
      }
    }
    const timer = setTimeout(() => void load(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [address, part, of])
  return address === undefined || known.of !== of ? NOTHING : known.values
}
