export default function Home() {
  return <h1>bench</h1>
}
