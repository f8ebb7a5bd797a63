import Link from "next/link"
import { ItemCuts } from "#app/_items/item-cuts.tsx"
import { Age } from "#app/_ui/format/age.tsx"
import { formatBytes } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import styles from "./item-list.module.css"

interface ItemListProps {
  readonly items: readonly ItemJson[]
  readonly renderedAt: number
  /** Where the trace is the same for all, and known. */
  readonly withoutTrace?: boolean
}

/** Items of envelopes: what each is and tells. Their payloads are never shown here, only offered as files. */
export function ItemList({ items, renderedAt, withoutTrace = false }: ItemListProps) {
  return (
    <ul className={styles.items}>
      {items.map((item) => (
        <li key={item.itemId}>
          <b className={styles.kind}>{itemName(item.type)}</b>
          <div className={styles.what}>
            {item.fileName !== "" && <bdi className={styles.file}>{shownName(item.fileName)}</bdi>}
            <Facts facts={item.facts} />
            <ItemCuts cuts={item.cuts} />
          </div>
          <div className={styles.rest}>
            <Kind item={item} />
            {!withoutTrace && <bdi>{shownName(item.service)}</bdi>}
            {!withoutTrace && item.traceId !== null && (
              <Link href={`/traces/${item.traceId}`} prefetch={false}>
                Trace
              </Link>
            )}
            <Age unixNano={item.time} renderedAt={renderedAt} />
            <ItemFile item={item} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function Kind({ item: { contentType, attachmentType } }: { item: ItemJson }) {
  const told = [contentType, attachmentType].filter((text) => text !== "")
  return told.length === 0 ? null : <span>{told.map(shownName).join(", ")}</span>
}

/** The payload as a file: whatever it holds, the browser saves it and shows nothing. */
export function ItemFile({ item: { itemId, byteLength, fileName, type } }: { item: ItemJson }) {
  return (
    <a href={`/api/items/${itemId}`} download>
      Download
      <span className="visually-hidden"> {shownName(fileName || itemName(type))}</span>, {formatBytes(byteLength)}
    </a>
  )
}

function Facts({ facts }: Pick<ItemJson, "facts">) {
  if (facts.length === 0) return null
  return (
    <dl className={styles.facts}>
      {facts.map(([name, text]) => (
        <div key={name} data-long={name === "message"}>
          <dt className={name === "message" ? "visually-hidden" : undefined}>{shownName(name)}</dt>
          <dd>{shownText(text)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** @see https://develop.sentry.dev/sdk/data-model/envelope-items/ */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["event", "Event"],
  ["transaction", "Transaction"],
  ["attachment", "Attachment"],
  ["feedback", "User feedback"],
  ["user_report", "User feedback"],
  ["check_in", "Check-in"],
  ["session", "Session"],
  ["sessions", "Sessions"],
  ["replay_event", "Replay"],
  ["replay_recording", "Replay recording"],
  ["replay_video", "Replay video"],
  ["profile", "Profile"],
  ["profile_chunk", "Profile chunk"],
  ["trace_metric", "Metrics"],
  ["statsd", "Metrics"],
])

/** What a kind of item is called; the type itself, where it is not known. */
export function itemName(type: string): string {
  return NAMES.get(type) ?? shownName(type)
}
