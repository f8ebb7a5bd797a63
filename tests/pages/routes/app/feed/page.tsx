export default function Page() {
  return <h1>feed</h1>
}
