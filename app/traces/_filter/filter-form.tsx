"use client"

import Form from "next/form"
import { useRouter } from "next/navigation"
import type { ReactNode, SubmitEvent } from "react"
import { listAddress, type ListPlace } from "#app/traces/_list/list-address.ts"

/** Submits the filter as query parameters. With script the address leaves out defaults. */
export function FilterForm({ place, className, children }: FormProps) {
  const router = useRouter()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const filter = new FormData(event.currentTarget).get("q")
    router.push(listAddress({ ...place, filter: typeof filter === "string" ? filter.trim() : "", after: undefined }))
  }
  return (
    <Form action="/traces" className={className} onSubmit={submit}>
      {children}
    </Form>
  )
}

interface FormProps {
  readonly place: ListPlace
  readonly className: string | undefined
  readonly children: ReactNode
}
