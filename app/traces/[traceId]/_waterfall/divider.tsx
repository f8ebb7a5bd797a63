"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a separator with a value is a widget that is focused and moved, which `hr` does not say */
import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from "react"
import styles from "./waterfall-grid.module.css"

/** Percent of the width that names may take. */
const LEAST = 15
const MOST = 75
const FIRST = 38
const STEP = 2

/** Between names and timeline: dragged, or moved with the arrow keys. */
export function Divider({ grid }: { grid: RefObject<HTMLDivElement | null> }) {
  const [share, setShare] = useState(FIRST)
  const move = (next: number) => {
    const bounded = Math.min(MOST, Math.max(LEAST, next))
    setShare(bounded)
    // Set on the grid and inherited by its rows: none of them is rendered again.
    grid.current?.style.setProperty("--names", `${bounded}%`)
  }
  const drag = (event: PointerEvent) => {
    const box = grid.current?.getBoundingClientRect()
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    move(((event.clientX - box.left) / box.width) * 100)
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowLeft") move(share - STEP)
    if (key === "ArrowRight") move(share + STEP)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the names"
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      className={styles.divider}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  )
}
