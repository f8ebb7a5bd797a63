import { redirect } from "next/navigation"
import { traceAction } from "pagespan/server"

export const dynamic = "force-dynamic"

async function save(form: FormData) {
  "use server"
  const fields = ["title", "password", "photo"]
  await traceAction("save", { form, fields, result: true }, () => ({ id: 7, token: "hunter2hunter2" }))
}

async function keep(form: FormData) {
  "use server"
  await traceAction("keep", { form }, () => "hunter2hunter2")
}

async function leave() {
  "use server"
  await traceAction("leave", {}, () => redirect("/behind"))
}

async function fail() {
  "use server"
  await traceAction("fail", {}, () => {
    throw new Error("thrown in a traced action")
  })
}

export default function Act() {
  return Object.entries({ save, keep, leave, fail }).map(([name, action]) => (
    <form action={action} key={name}>
      <button type="submit">{name}</button>
    </form>
  ))
}
