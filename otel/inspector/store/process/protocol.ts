/** Messages between the app and its store process over the IPC channel. Statements use HTTP. */

export interface OpenMessage {
  readonly type: "open"
  /** Directory of the engine's files. The process creates it if it is missing. */
  readonly directory: string
  /** The password of clients. It is in a message because other processes can read arguments and environment. */
  readonly token: string
}

export interface StopMessage {
  readonly type: "stop"
}

/** Heartbeat. The process answers with `pong`. */
export interface PingMessage {
  readonly type: "ping"
}

export type ParentMessage = OpenMessage | StopMessage | PingMessage

export interface ListeningMessage {
  readonly type: "listening"
  readonly port: number
}

export interface FailedMessage {
  readonly type: "failed"
  /** One line, for people. */
  readonly reason: string
  /** Whether another attempt would fail too. */
  readonly permanent: boolean
}

export interface PongMessage {
  readonly type: "pong"
}

export type ChildMessage = ListeningMessage | FailedMessage | PongMessage
