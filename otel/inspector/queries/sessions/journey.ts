import type { Session, SessionError, SessionView } from "./session-reader.ts"

/** One view of a session with what happened in it. */
export interface JourneyStep {
  /** `undefined` for errors before the first view, or without any. */
  readonly view: SessionView | undefined
  /** Errors of the view's trace; those without a trace of the session are in the view that was the latest by then. */
  readonly errors: readonly SessionError[]
  /** Nanoseconds between the last activity before it and its start; 0 where they overlap or it is the first. */
  readonly idle: bigint
}

/** The views of a session in order, with their errors and the pauses between them. */
export function journeyOf({ views, errors }: Pick<Session, "views" | "errors">): JourneyStep[] {
  const inView: SessionError[][] = views.map(() => [])
  const before: SessionError[] = []
  for (const error of errors) {
    const index = viewOf(error, views)
    if (index === -1) before.push(error)
    else inView[index]?.push(error)
  }
  const steps: JourneyStep[] = before.length === 0 ? [] : [{ view: undefined, errors: before, idle: 0n }]
  let lastActivity: bigint | undefined = before.at(-1)?.time
  views.forEach((view, index) => {
    const own = inView[index] ?? []
    const idle = lastActivity === undefined || lastActivity > view.startTime ? 0n : view.startTime - lastActivity
    steps.push({ view, errors: own, idle })
    const ends = [view.startTime + view.duration, ...own.map(({ time }) => time as bigint)]
    lastActivity = [...ends, lastActivity ?? 0n].reduce((latest, end) => (end > latest ? end : latest))
  })
  return steps
}

/** The view of the error's trace that had begun, else the latest that had begun. */
function viewOf({ traceId, time }: SessionError, views: readonly SessionView[]): number {
  const ofTrace = views.findLastIndex((view) => view.traceId === traceId && view.startTime <= time)
  if (ofTrace !== -1) return ofTrace
  const first = views.findIndex((view) => view.traceId === traceId)
  return first === -1 ? views.findLastIndex((view) => view.startTime <= time) : first
}

/** A journey as the read API answers it. 64-bit numbers are strings. */
export function journeyToJson(session: Session) {
  const { sessionId, isCut } = session
  return {
    sessionId,
    isCut,
    steps: journeyOf(session).map(({ view, errors, idle }) => ({
      view: view === undefined ? null : viewToJson(view),
      errors: errors.map(({ time, ...error }) => ({ ...error, timeUnixNano: String(time) })),
      idleNano: String(idle),
    })),
  }
}

export type JourneyJson = ReturnType<typeof journeyToJson>

function viewToJson({ startTime, duration, ...view }: SessionView) {
  return { ...view, startTimeUnixNano: String(startTime), durationNano: String(duration) }
}
