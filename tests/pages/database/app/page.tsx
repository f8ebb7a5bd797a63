export default function Page() {
  return <p>Database</p>
}
