import Link from "next/link"
import { Age } from "#app/_ui/format/age.tsx"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownText } from "#app/_ui/format/text.ts"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { ADVICE, INTENDED } from "#app/dropped/advice.ts"
import { STAGE_NAMES } from "#app/dropped/stage-names.ts"
import type { DropGroup } from "#otel/inspector/queries/drops/drop-reader.ts"
import styles from "./dropped-view.module.css"

interface DropGroupsProps {
  /** Of the heading. */
  readonly id: string
  readonly title: string
  readonly groups: readonly DropGroup[]
  readonly parameters: URLSearchParams
  readonly renderedAt: number
}

/** Drops by stage and reason, largest first. Nothing where there are none. */
export function DropGroups({ id, title, groups, parameters, renderedAt }: DropGroupsProps) {
  if (groups.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul className={styles.groups}>
        {groups.map((group) => (
          <li key={`${group.stage} ${group.reason} ${group.category}`}>
            <Group group={group} parameters={parameters} renderedAt={renderedAt} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Group({
  group,
  parameters,
  renderedAt,
}: { group: DropGroup } & Pick<DropGroupsProps, "parameters" | "renderedAt">) {
  const { stage, reason, category, count, lastTime, samples } = group
  const { what, todo } = ADVICE[reason]
  return (
    <>
      <p className={styles.count}>
        <b>{formatCount(count)}</b>
        <span>{category.replaceAll("_", " ")}</span>
      </p>
      <div>
        <h3>
          {!INTENDED.has(reason) && (
            <span className={styles.mark} title="Unexpected">
              <WarningIcon />
              <span className="visually-hidden">Unexpected: </span>
            </span>
          )}
          {what}
        </h3>
        <p className={styles.todo}>{todo}</p>
        {samples.map((sample) => (
          <p key={sample} className={styles.sample}>
            <bdi>{shownText(sample)}</bdi>
          </p>
        ))}
      </div>
      <p className={styles.facts}>
        <Link href={withParameters("/dropped", parameters, { reason })} prefetch={false}>
          {reason}
        </Link>
        <Link href={withParameters("/dropped", parameters, { stage })} prefetch={false}>
          {STAGE_NAMES[stage]}
        </Link>
        <span>
          last <Age unixNano={String(lastTime)} renderedAt={renderedAt} suffix />
        </span>
      </p>
    </>
  )
}
