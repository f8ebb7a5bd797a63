export { default, generateStaticParams } from "./isr"
