export default function Empty() {
  return <h1>empty</h1>
}
