import { useRouter } from "next/router"

export default function Shop() {
  const { path = [] } = useRouter().query
  return <h1>{`shop ${[path].flat().join("-")}`}</h1>
}
