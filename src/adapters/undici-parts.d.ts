/** undici's index also loads fetch, WebSocket, caches and mocks, and takes three times as long. The version is pinned. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  const request: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  export { request as default };
}
