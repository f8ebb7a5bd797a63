import { shownText } from "#app/_ui/format/text.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { EditorButton } from "#app/_ui/input/editor-button.tsx"
import type { MappedFrame } from "#otel/inspector/queries/records.ts"
import styles from "./exception.module.css"

/** One stack frame, with its source lines where they are known. */
export function FrameItem({ frame, isOpen }: { frame: MappedFrame; isOpen: boolean }) {
  const place = placeOf(frame)
  const hasSource = frame.context !== ""
  const line = (
    <>
      <code className={styles.function}>{shownText(frame.function || "(anonymous)")}</code>
      <span className={styles.place}>
        <bdi>{shownText(place)}</bdi>
      </span>
      {frame.inApp === true && <span className={styles.own}>in app</span>}
      {frame.compiled !== undefined && (
        <span
          className={styles.own}
          title={shownText(`${frame.compiled.file}:${frame.compiled.line}:${frame.compiled.column}`)}
        >
          source map
        </span>
      )}
    </>
  )
  return (
    <li className={styles.frame} data-app={frame.inApp === true}>
      {hasSource ? (
        <details open={isOpen}>
          <summary>{line}</summary>
          <Source frame={frame} />
        </details>
      ) : (
        <div className={styles.bare}>{line}</div>
      )}
      {isSourceFile(frame.file) && <EditorButton place={place} />}
      <CopyButton text={place} what={`place ${shownText(place)}`} />
    </li>
  )
}

function Source({ frame }: { frame: MappedFrame }) {
  const first = (frame.line ?? 1) - frame.before.length
  const lines = [...frame.before, frame.context, ...frame.after]
  return (
    // A scrollable region must be focusable.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={styles.source} tabIndex={0} aria-label={`Source around line ${frame.line ?? "?"}`}>
      <table role="presentation">
        <tbody>
          {lines.map((text, index) => (
            // Lines have a fixed order, and may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index} data-here={index === frame.before.length}>
              <td className={styles.number}>{frame.line === undefined ? "" : first + index}</td>
              <td>
                <code>{shownText(text) || " "}</code>
                {index === frame.before.length && <span className="visually-hidden"> (here)</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** False for a module of Node.js, such as `node:fs`, and without a name. */
export function isSourceFile(file: string): boolean {
  return file !== "" && !file.startsWith("node:")
}

function placeOf({ file, module, line, column }: MappedFrame): string {
  const name = file || module || "(unknown file)"
  if (line === undefined) return name
  return column === undefined ? `${name}:${line}` : `${name}:${line}:${column}`
}
