export default function Static() {
  return <h1>static</h1>
}
