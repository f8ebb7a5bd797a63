"use client"

export function FailButton() {
  return (
    <button
      onClick={() => {
        throw new Error("a button failed")
      }}
    >
      Fail
    </button>
  )
}
