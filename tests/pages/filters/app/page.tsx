export default function Page() {
  return <h1>filters</h1>
}
