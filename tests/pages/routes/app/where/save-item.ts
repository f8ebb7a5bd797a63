"use server"

import { trace } from "@opentelemetry/api"
import { revalidatePath } from "next/cache"
import { notFound, redirect } from "next/navigation"
import { traceAction } from "pagespan/server"
import { type CurrentRoute, currentRoute } from "pagespan/route"

export async function saveItem(how: string): Promise<CurrentRoute | undefined> {
  if (how === "missing") notFound()
  // A path that no page has: a page that is made again stays in the build, with the settings of the server that made it.
  if (how === "revalidate") revalidatePath("/revalidated")
  if (how === "leave") redirect("/items/5")
  if (how === "fail") throw new Error("not saved")
  if (how === "named") return traceAction("store", {}, async () => currentRoute())
  trace.getTracer("app").startActiveSpan("write", (span) => span.end())
  return currentRoute()
}
