"use client"

import { currentRoute, type CurrentRoute } from "pagespan/route"
import { useEffect } from "react"

type Save = (how: string) => Promise<CurrentRoute | undefined>

export function Shown({ save }: { save: Save }) {
  useEffect(() => void Object.assign(window, { currentRoute, save }), [save])
  return <form action={async () => void (await save("form"))}>{<button type="submit">save</button>}</form>
}
