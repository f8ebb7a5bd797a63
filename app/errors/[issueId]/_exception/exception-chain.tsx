import { countOf } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { frameGroups } from "#app/errors/[issueId]/_exception/frame-groups.ts"
import { FrameItem } from "#app/errors/[issueId]/_exception/frame-item.tsx"
import type { MappedException } from "#otel/inspector/queries/records.ts"
import styles from "./exception.module.css"

/** The exception and its causes, each with its stack trace. */
export function ExceptionChain({ exceptions }: { exceptions: readonly MappedException[] }) {
  if (exceptions.length === 0) return <p className={styles.none}>This event is a message without an exception.</p>
  return (
    <ol className={styles.chain}>
      {exceptions.map((exception, index) => (
        // The chain has a fixed order, and may contain the same error twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>
          <h3 className={styles.heading}>
            {index > 0 && <span className={styles.because}>caused by </span>}
            <bdi>{shownName(exception.type || "Error")}</bdi>
            {exception.mechanism !== undefined && (
              <small>
                {shownName(exception.mechanism.type)}
                {exception.mechanism.handled === undefined
                  ? ""
                  : exception.mechanism.handled
                    ? ", handled"
                    : ", unhandled"}
              </small>
            )}
          </h3>
          {exception.value !== "" && <p className={styles.value}>{shownText(exception.value)}</p>}
          <Stack exception={exception} opens={index === 0} />
        </li>
      ))}
    </ol>
  )
}

/** @param opens expands the source of the first application frame. */
function Stack({ exception, opens }: { exception: MappedException; opens: boolean }) {
  const { frames, stackText } = exception
  if (frames.length === 0)
    return stackText === "" ? (
      <p className={styles.none}>No stack trace.</p>
    ) : (
      <ScrollBox label="Stack trace as text">
        <pre>{shownText(stackText)}</pre>
      </ScrollBox>
    )
  const groups = frameGroups(frames)
  const first = groups.flatMap((group) => (group.isApp ? group.frames : [])).find(({ context }) => context !== "")
  return (
    <ol className={styles.frames}>
      {groups.map((group, index) =>
        group.isApp ? (
          group.frames.map((frame, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- as above
            <FrameItem key={`${index} ${at}`} frame={frame} isOpen={opens && frame === first} />
          ))
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <li key={index}>
            <details className={styles.folded}>
              <summary>{countOf(group.frames.length, "library frame")}</summary>
              <ol className={styles.frames}>
                {group.frames.map((frame, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- as above
                  <FrameItem key={at} frame={frame} isOpen={false} />
                ))}
              </ol>
            </details>
          </li>
        ),
      )}
    </ol>
  )
}
