import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { lookout } from "../world.ts";

const api = "prod/shop/deployment/api";
const what = `POST /v1/workloads/${api}/unblock`;
const left = { hold: false, digests: [] };
const answers = { [what]: { body: { workload: api, hold: true, blocked: 0, digests: [], rejected: 0, left } } };
const noUser = { LOOKOUT_SERVER: "http://127.0.0.1:4040", LOOKOUT_TOKEN: "secret" };

it.each([
  { from: "the flag", typed: ["--by", "ben"], surroundings: {}, by: "ben" },
  { from: "USER", typed: [], surroundings: {}, by: "ana" },
  {
    from: "the system where there is no USER",
    typed: [],
    surroundings: { environment: noUser },
    by: userInfo().username,
  },
])("unblock sends the user's name: from $from", async ({ typed, surroundings, by }) => {
  const { asked } = await lookout(["unblock", api, ...typed], answers, surroundings);

  expect(asked).toEqual([{ what, authorization: "Bearer secret", body: { by } }]);
});
