export default function Page() {
  return <h1>dash</h1>
}
