export default function Page() {
  return <h1>views</h1>
}
