"use client"

import * as Sentry from "@sentry/nextjs"

export function FailButton() {
  return (
    <>
      <button
        onClick={() => {
          throw new Error("a button failed")
        }}
      >
        Fail
      </button>
      <button
        onClick={() => {
          Sentry.setUser({ id: "u42" })
          Sentry.captureException(new Error("captured by hand"))
        }}
      >
        Capture
      </button>
    </>
  )
}
