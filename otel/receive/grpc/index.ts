export { openGrpc } from "./grpc-server.ts"
