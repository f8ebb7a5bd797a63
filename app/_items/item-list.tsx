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
  /** Hides trace and service, where the surrounding screen shows them. */
  readonly withoutTrace?: boolean
}

/** Envelope items with their facts. Payloads are never rendered, only offered as downloads. */
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
  const types = [contentType, attachmentType].filter((text) => text !== "")
  return types.length === 0 ? null : <span>{types.map(shownName).join(", ")}</span>
}

/** Downloads the payload: the browser saves it and renders nothing. */
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

/** Display name of an item type; an unknown type is shown as sent. */
export function itemName(type: string): string {
  return NAMES.get(type) ?? shownName(type)
}
