"use client"

import { useRouter } from "next/navigation"
import { useState, useTransition } from "react"

/** What changes runs, with what the server said against it. */
export function useRunAction() {
  const router = useRouter()
  const [problem, setProblem] = useState<string>()
  const [pending, startTransition] = useTransition()
  const act = (method: "POST" | "DELETE", address: string, body?: object) =>
    startTransition(async () => {
      setProblem(await refusal(method, address, body))
      router.refresh()
    })
  return {
    problem,
    pending,
    keep: (run: { name: string; filter?: string; since?: string; until?: string }) => act("POST", "/api/runs", run),
    end: (name: string) => act("POST", "/api/runs", { name, end: true }),
    remove: (name: string) => act("DELETE", `/api/runs/${encodeURIComponent(name)}`),
  }
}

/** `undefined` when it was done. */
async function refusal(method: string, address: string, body: object | undefined): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    })
    if (response.ok) return undefined
    const { message } = (await response.json()) as { message?: string }
    return message ?? `The server answered ${response.status}.`
  } catch {
    return "The server could not be reached."
  }
}
