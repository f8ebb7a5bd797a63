"use client"

import Form from "next/form"
import Link from "next/link"
import { useRouter } from "next/navigation"
import type { SubmitEvent } from "react"
import { FilterBox } from "#app/_filter/filter-box.tsx"
import { RangeField } from "#app/_filter/time-range.tsx"
import type { CompareSide, ParsedSide } from "#otel/inspector/queries/compare/compare-query.ts"
import { compareAddress } from "./compare-address.ts"
import styles from "./compare.module.css"

type FormSide = CompareSide & Pick<ParsedSide, "problem">

interface CompareFormProps {
  readonly a: FormSide
  readonly b: FormSide
}

const SIDES = [
  { name: "a", label: "Baseline" },
  { name: "b", label: "Current" },
] as const

/** The filter and the time range of each side. The URL holds them, so the form works with and without script. */
export function CompareForm({ a, b }: CompareFormProps) {
  const router = useRouter()
  const go = (sides: CompareFormProps) => router.push(compareAddress(sides.a, sides.b))
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? "").trim()
    go({ a: { ...a, filter: text("a") }, b: { ...b, filter: text("b") } })
  }
  return (
    <search aria-label="Compared traces">
      <Form action="/compare" prefetch={false} className={styles.form} onSubmit={submit}>
        {SIDES.map(({ name, label }) => {
          const side = { a, b }[name]
          const { filter, since, until, problem } = side
          return (
            <fieldset key={name} className={styles.side}>
              <legend>{label}</legend>
              <FilterBox
                key={filter}
                path="/traces"
                filter={filter}
                problem={problem}
                field={{ name, label: `${label} filter` }}
              />
              <RangeField
                key={`${since} ${until}`}
                since={since}
                until={until}
                names={{ since: `${name}Since`, until: `${name}Until`, label: `${label} time` }}
                onChoose={(from, to) => go({ a, b, [name]: { ...side, since: from, until: to } })}
              />
            </fieldset>
          )
        })}
        <div className={styles.actions}>
          <button type="submit">Compare</button>
          <Link href={compareAddress(b, a)} prefetch={false}>
            Swap
          </Link>
        </div>
      </Form>
    </search>
  )
}
