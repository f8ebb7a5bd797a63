export default function Home() {
  return <h1>To get started, edit the page.tsx file.</h1>
}
