import type { ReactNode } from "react"
import styles from "./message.module.css"
import Link from "next/link"

/** What a screen says when it has nothing else to show: one heading, a sentence or two, and what to do. */
export function Message({ title, children, level = 1 }: { title: string; children?: ReactNode; level?: 1 | 2 }) {
  const Heading = level === 1 ? "h1" : "h2"
  return (
    <div className={styles.message}>
      <Heading className={styles.title}>{title}</Heading>
      {children}
    </div>
  )
}

/** Before the first span: what would be here, and how to get it here. */
export function NothingYet() {
  return (
    <Message title="No traces yet" level={2}>
      <p>
        Point any OpenTelemetry or Sentry SDK here and its traces appear by themselves. An OpenTelemetry SDK without
        configuration already sends to port 4318 of its own machine.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
