import { expect, it } from "vitest";
import { unsubscribe } from "#app/shared/subscriptions";
import { api, host, trackApi, worldWithApi } from "../world.ts";

it("a workload that is rolled back while its subscriptions end gets the subscriptions that it needs", async () => {
  const lookout = await worldWithApi();
  const key = await trackApi(lookout);
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const { workload } = await lookout.record(key);
  const { store } = lookout.ports;
  let calls = 0;
  const slow: typeof store = {
    ...store,
    subscribe: async (...asked) => {
      calls += 1;
      if (calls === 2) {
        lookout.cluster.setImage(api, "app", `${host}/shop/web:1.0.0`);
        await lookout.sync();
      }
      await store.subscribe(...asked);
    },
  };

  await unsubscribe(workload, { ...lookout.ports, store: slow });

  const subscribers = async (repository: string) =>
    (await store.subscribers({ registry: host, repository }, 10)).workloads;
  expect({ api: await subscribers("shop/api"), web: await subscribers("shop/web") }).toEqual({ api: [], web: [key] });
});
