export default function InstallPaths() {
  return <h1>To get started, edit the page.tsx file.</h1>
}
