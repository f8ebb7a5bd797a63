import { headers } from "next/headers"
import { RefreshUntilReady } from "#app/_live/refresh-until-ready.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { inspectorProblems } from "#otel/inspector/queries/screen-queries.ts"

/** What is wrong with the inspector and what to do, above a screen. Refreshes the screen until it works again. */
export async function Problems() {
  const problems = inspectorProblems(await headers())
  if (problems.length === 0) return null
  return (
    <>
      <RefreshUntilReady />
      <Notices notices={problems} />
    </>
  )
}

/** Shown while the store is unavailable, with the reason and what to do. Refreshes the page until the store answers. */
export async function StoreStarting() {
  const problems = inspectorProblems(await headers())
  return (
    <>
      <RefreshUntilReady />
      <Message title={problems.length === 0 ? "The store is starting" : "The store is unavailable"}>
        {problems.length === 0 && <p>Pagespan keeps accepting data.</p>}
        {problems.map((problem) => (
          <p key={problem}>{shownText(problem)}</p>
        ))}
        <output>This page loads as soon as the store is ready.</output>
      </Message>
    </>
  )
}
