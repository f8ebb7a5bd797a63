import { getTodos } from "../get-todos.ts"

async function Todos() {
  "use cache"
  return <p>{(await getTodos()).join()}</p>
}

export default function Page() {
  return <Todos />
}
