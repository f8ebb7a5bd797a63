export default function Page() {
  return <h1>Team</h1>
}
