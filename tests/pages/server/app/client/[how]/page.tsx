"use client"

import dynamic from "next/dynamic"
import { forbidden, notFound, redirect, useParams } from "next/navigation"
import { FailsOnServer } from "../fails-on-server"

const InBrowser = dynamic(() => import("../in-browser"), { ssr: false })

/** A client component that ends its rendering on the server in the requested way. */
export default function Client() {
  const { how } = useParams<{ how: string }>()
  if (how === "redirect") redirect("/behind")
  if (how === "missing") notFound()
  if (how === "forbidden") forbidden()
  return how === "browser" ? <InBrowser /> : <FailsOnServer message="thrown by a client component" />
}
