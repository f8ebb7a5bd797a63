"use client"

import { Command, useCommandState } from "cmdk"
import { useRouter } from "next/navigation"
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react"
import { idTargets, searchTarget, type Target } from "#app/_palette/id-targets.ts"
import { PALETTE_PLACEHOLDER, PALETTE_TEXT_LIMIT } from "#app/_palette/palette-input.ts"
import { chooseTheme, type Theme, THEMES } from "#app/_palette/theme.ts"
import { useTargets } from "#app/_palette/use-targets.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { chooseZone, localZone, UTC, type Zone } from "#app/_ui/format/zone.ts"
import type { Destination } from "#app/_ui/layout/top-bar.tsx"
import styles from "./palette.module.css"

interface PaletteMenuProps {
  readonly destinations: readonly Destination[]
  /** What is typed. The dialog has it, because typing begins before the menu has loaded. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onGo: (href: string) => void
  readonly onDone: () => void
}

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: "System theme",
  light: "Light theme",
  dark: "Dark theme",
}

/** Between the name of a target and its address, which only distinguishes targets of the same name. */
const AFTER_NAME = "\n"

/**
 * Whether the name has each word of the text, and how well. Letters that are only in this order somewhere do not count: "cart"
 * is not "Duration heatmap".
 */
function byName(value: string, text: string): number {
  const name = (value.split(AFTER_NAME, 1)[0] ?? "").toLowerCase()
  const words = text.toLowerCase().split(/\s+/)
  if (!words.every((word) => name.includes(word))) return 0
  return words.every((word) => ` ${name}`.includes(` ${word}`)) ? 1 : 0.5
}

export default function PaletteMenu({ destinations, text: search, onText, onGo, onDone }: PaletteMenuProps) {
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState("")
  // Takes over from the input of the dialog, before the next key.
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.setSelectionRange(-1, -1)
  }, [])
  const { routes, errors, services, filters } = useTargets()
  return (
    <Command label="Go to" className={styles.panel} filter={byName} value={chosen} onValueChange={setChosen} loop>
      <FirstChosen input={input} onChoose={setChosen} />
      <Command.Input
        ref={input}
        value={search}
        onValueChange={onText}
        placeholder={PALETTE_PLACEHOLDER}
        maxLength={PALETTE_TEXT_LIMIT}
      />
      <Command.List>
        {idTargets(search).map(({ href, label }) => (
          <Command.Item key={href} value={`${search} ${label}`} forceMount onSelect={() => onGo(href)}>
            {label}
          </Command.Item>
        ))}
        <Targets heading="Screens" targets={destinations} onGo={onGo} />
        <Targets heading="Saved filters" targets={filters} onGo={onGo} />
        <Targets heading="Services" targets={services} onGo={onGo} />
        <Targets heading="Routes" targets={routes} onGo={onGo} />
        <Targets heading="Errors" targets={errors} onGo={onGo} />
        <Command.Group heading="Theme">
          {THEMES.map((theme) => (
            <Command.Item
              key={theme}
              value={`theme ${THEME_NAMES[theme]}`}
              onSelect={() => {
                chooseTheme(theme)
                onDone()
              }}
            >
              {THEME_NAMES[theme]}
            </Command.Item>
          ))}
        </Command.Group>
        <Zones onDone={onDone} />
        <SearchTraces text={search} onGo={onGo} />
      </Command.List>
    </Command>
  )
}

/** Targets arrive after their text. Where nothing is chosen then, the first is, so that Enter opens it. */
function FirstChosen({
  input,
  onChoose,
}: {
  input: RefObject<HTMLInputElement | null>
  onChoose: (value: string) => void
}) {
  const chosen = useCommandState((state) => state.value)
  const matches = useCommandState((state) => state.filtered.count)
  useEffect(() => {
    if (matches === 0) return
    const items = [...(input.current?.parentElement?.querySelectorAll<HTMLElement>("[cmdk-item]") ?? [])]
    const [first] = items
    if (first !== undefined && !items.some((item) => item.dataset["value"] === chosen))
      onChoose(first.dataset["value"] ?? "")
  }, [input, chosen, matches, onChoose])
  return null
}

/** The zones in which all screens can show times: UTC, and that of this browser. */
function Zones({ onDone }: Pick<PaletteMenuProps, "onDone">) {
  const router = useRouter()
  const choose = (zone: Zone) => {
    chooseZone(zone)
    router.refresh()
    onDone()
  }
  return (
    <Command.Group heading="Time zone">
      {[...new Set([UTC, localZone()])].map((zone) => (
        <Command.Item key={zone} value={`time zone ${zone}`} onSelect={() => choose(zone)}>
          Times in {zone}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

/** For a text that nothing here matches: a search of the traces. */
function SearchTraces({ text, onGo }: { text: string } & Pick<PaletteMenuProps, "onGo">) {
  const matches = useCommandState((state) => state.filtered.count)
  const target = searchTarget(text)
  if (target === undefined || matches > 0 || idTargets(text).length > 0) return null
  return (
    <Command.Item value={`find ${text}`} forceMount onSelect={() => onGo(target.href)}>
      <bdi>{shownName(target.label)}</bdi>
    </Command.Item>
  )
}

interface TargetsProps extends Pick<PaletteMenuProps, "onGo"> {
  readonly heading: string
  readonly targets: readonly Target[]
}

function Targets({ heading, targets, onGo }: TargetsProps) {
  if (targets.length === 0) return null
  return (
    <Command.Group heading={heading}>
      {targets.map(({ href, label }) => (
        <Command.Item key={href} value={`${heading} ${label}${AFTER_NAME}${href}`} onSelect={() => onGo(href)}>
          <bdi>{shownName(label)}</bdi>
        </Command.Item>
      ))}
    </Command.Group>
  )
}
