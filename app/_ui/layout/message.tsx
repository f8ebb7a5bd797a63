import Link from "next/link"
import type { ReactNode } from "react"
import styles from "./message.module.css"

/** An empty or error state: a heading, a sentence or two, and what to do next. */
export function Message({ title, children, level = 1 }: { title: string; children?: ReactNode; level?: 1 | 2 }) {
  const Heading = level === 1 ? "h1" : "h2"
  return (
    <div className={styles.message}>
      <Heading className={styles.title}>{title}</Heading>
      {children}
    </div>
  )
}

/** Empty state before the first span. */
export function NothingYet() {
  return (
    <Message title="No traces yet" level={2}>
      <p>
        Point any OpenTelemetry or Sentry SDK here, and its traces appear live. By default, OpenTelemetry SDKs send to
        port 4318 of their own machine.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
