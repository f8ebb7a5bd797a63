"use client"

export function Fail() {
  return (
    <button
      type="button"
      onClick={() => {
        throw new Error("a button failed")
      }}
    >
      Fail
    </button>
  )
}
