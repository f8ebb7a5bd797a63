export default function Page() {
  return <h1>static</h1>
}
