"use client"

import type { ReactNode } from "react"

/** A decorative icon. The text next to it has the meaning, so screen readers skip it. */
function Icon({ children, size = 14 }: { children: ReactNode; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  )
}

export function ErrorIcon() {
  return (
    <Icon>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 4.8v3.7M8 11.1v.1" />
    </Icon>
  )
}

export function WarningIcon() {
  return (
    <Icon>
      <path d="M8 2.2 14.4 13.4H1.6ZM8 6.5v3M8 11.5v.1" />
    </Icon>
  )
}

/** Information. */
export function NoteIcon() {
  return (
    <Icon>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 7.4v3.8M8 4.9V5" />
    </Icon>
  )
}

/** An exception. */
export function BurstIcon() {
  return (
    <Icon>
      <path d="M8 1.8V5M8 11v3.2M1.8 8H5m6 0h3.2M3.6 3.6l2.3 2.3m4.2 4.2 2.3 2.3M3.6 12.4l2.3-2.3m4.2-4.2 2.3-2.3" />
    </Icon>
  )
}

export function SearchIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.4" />
      <path d="m10.4 10.4 3.4 3.4" />
    </Icon>
  )
}

export function CopyIcon() {
  return (
    <Icon>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M3.5 10.5h-1v-8h8v1" />
    </Icon>
  )
}

export function EditorIcon() {
  return (
    <Icon>
      <path d="m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5l3.5 3.5-3.5 3.5" />
    </Icon>
  )
}

export function DoneIcon() {
  return (
    <Icon>
      <path d="m3 8.5 3.3 3.3L13 4.8" />
    </Icon>
  )
}

export function CloseIcon() {
  return (
    <Icon>
      <path d="m3.5 3.5 9 9m0-9-9 9" />
    </Icon>
  )
}

export function CaretIcon() {
  return (
    <Icon size={12}>
      <path d="m5.5 3.5 5 4.5-5 4.5" />
    </Icon>
  )
}

export function OutwardIcon() {
  return (
    <Icon size={11}>
      <path d="M6 3.5H3V13h9.5v-3M9 2.5h4.5V7M13.2 2.8 7.5 8.5" />
    </Icon>
  )
}
