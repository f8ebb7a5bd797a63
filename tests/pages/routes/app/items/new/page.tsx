export default function NewItem() {
  return <h1>new item</h1>
}
