export default function InstallPaths() {
  return <h1>home</h1>
}
