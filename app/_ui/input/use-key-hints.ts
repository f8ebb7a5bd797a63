"use client"

import { useEffect } from "react"

/** A command that has keys, for the sheet that `?` opens. */
export interface KeyHint {
  /** Any of them does it, as they are written on a keyboard: `j`, `↓`, `Shift+Enter`. */
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
 * Puts the keys of a part of the screen on the sheet while it is shown. The part listens for them itself.
 *
 * @param hints a constant: a new list at each render would be put there each time.
 */
export function useKeyHints(title: string, hints: readonly KeyHint[]): void {
  useEffect(() => {
    const group = { title, hints }
    update({ groups: [...state.groups, group] })
    return () => update({ groups: state.groups.filter((each) => each !== group) })
  }, [title, hints])
}
