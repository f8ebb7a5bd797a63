import { cacheLife } from "next/cache"
import { getTodos } from "../get-todos.ts"

async function Todos() {
  "use cache"
  // The default, 15 minutes, may pass between the build and the test.
  cacheLife("max")
  return <p>{(await getTodos()).join()}</p>
}

export default function Page() {
  return <Todos />
}
