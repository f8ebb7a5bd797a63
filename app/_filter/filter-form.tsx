"use client"

import Form from "next/form"
import { useRouter } from "next/navigation"
import type { ReactNode, SubmitEvent } from "react"
import { listAddress, type ListPath, type ListPlace } from "./list-address.ts"

/** Submits the filter as query parameters. With script the address leaves out defaults. */
export function FilterForm({ path, place, className, children }: FormProps) {
  const router = useRouter()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const filter = new FormData(event.currentTarget).get("q")
    router.push(
      listAddress({ ...place, filter: typeof filter === "string" ? filter.trim() : "", after: undefined }, path),
    )
  }
  return (
    <Form action={path} prefetch={false} className={className} onSubmit={submit}>
      {children}
    </Form>
  )
}

interface FormProps {
  readonly path: ListPath
  readonly place: ListPlace
  readonly className: string | undefined
  readonly children: ReactNode
}
