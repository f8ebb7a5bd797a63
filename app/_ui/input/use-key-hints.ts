"use client"

import { useEffect } from "react"

/** A keyboard shortcut for the dialog that `?` opens. */
export interface KeyHint {
  /** Alternative keys: `j`, `↓`, `Shift+Enter`. */
  readonly keys: readonly string[]
  readonly does: string
}

interface KeyGroup {
  readonly title: string
  readonly hints: readonly KeyHint[]
}

interface KeySheetState {
  readonly groups: readonly KeyGroup[]
  readonly isOpen: boolean
}

let state: KeySheetState = { groups: [], isOpen: false }
const watchers = new Set<() => void>()

function update(change: Partial<KeySheetState>): void {
  state = { ...state, ...change }
  for (const watcher of watchers) watcher()
}

export function watchKeySheet(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function keyHints(): KeySheetState {
  return state
}

export function openKeySheet(isOpen: boolean): void {
  if (state.isOpen !== isOpen) update({ isOpen })
}

/**
 * Lists keyboard shortcuts while the component is mounted. The component handles the keys itself.
 *
 * @param hints a constant: a new array registers the group again.
 */
export function useKeyHints(title: string, hints: readonly KeyHint[]): void {
  useEffect(() => {
    const group = { title, hints }
    update({ groups: [...state.groups, group] })
    return () => update({ groups: state.groups.filter((each) => each !== group) })
  }, [title, hints])
}
