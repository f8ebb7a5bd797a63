export { openStore, type Store, type StoreLocation, type StoreSettings } from "./store.ts"
