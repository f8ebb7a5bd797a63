"use client"

import { useEffect, useId } from "react"

export function Field({ name }: { name: string }) {
  const id = useId()
  useEffect(() => console.warn("a warning of the app"), [])
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input id={id} />
    </>
  )
}
