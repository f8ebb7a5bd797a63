import { BenchHandles } from "./bench-handles"

export default function Bench() {
  return (
    <>
      <h1>bench</h1>
      <BenchHandles />
    </>
  )
}
