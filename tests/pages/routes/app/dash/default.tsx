export default function Default() {
  return <p>default</p>
}
