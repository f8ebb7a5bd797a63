"use client"

export function FailsOnServer({ message }: { message: string }) {
  if (typeof window === "undefined") throw new Error(message)
  return <p>rendered in the browser</p>
}
