import { forbidden, notFound, redirect } from "next/navigation"

/** Fails in the requested way. */
export async function GET(_: Request, { params }: { params: Promise<{ kind: string }> }) {
  const { kind } = await params
  if (kind === "redirect") redirect("/")
  if (kind === "missing") notFound()
  if (kind === "forbidden") forbidden()
  if (kind === "cause") throw new Error("outer", { cause: new TypeError("inner") })
  if (kind === "aggregate") throw new AggregateError([new Error("one"), new Error("two")], "both")
  throw new RangeError("thrown in a route handler")
}
