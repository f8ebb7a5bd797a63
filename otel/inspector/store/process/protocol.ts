/** What the app and its store process say to each other over the fork's channel; everything else goes over HTTP. */

export interface OpenMessage {
  readonly type: "open"
  /** Directory of the engine's files; made when it is missing. */
  readonly directory: string
  /** What a client must present. It travels here and not in arguments or environment, which other processes can read. */
  readonly token: string
}

export interface StopMessage {
  readonly type: "stop"
}

/** Whether the process still runs its own code; it answers with `here`. */
export interface AskMessage {
  readonly type: "ask"
}

export type ParentMessage = OpenMessage | StopMessage | AskMessage

export interface ListeningMessage {
  readonly type: "listening"
  readonly port: number
}

export interface FailedMessage {
  readonly type: "failed"
  /** One line, for people. */
  readonly reason: string
  /** Whether trying again can help. */
  readonly permanent: boolean
}

export interface HereMessage {
  readonly type: "here"
}

export type ChildMessage = ListeningMessage | FailedMessage | HereMessage
