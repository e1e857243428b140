import { expect, it } from "vitest";
import { handleDeadLetter } from "#app/gate/dead-letter";
import type { ImagePushed } from "#domain/image/push";
import { seconds } from "#domain/shared/time";
import { host, world } from "../world.ts";

it("a failed page of one namespace evaluates the rest of that namespace again, and no other", async () => {
  const lookout = world();
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  for (const namespace of ["crowded", "other"])
    for (const name of ["a", "b", "c"]) lookout.deploy({ namespace, name, image: `${host}/shop/api:1.0.0` });
  await lookout.pass(seconds(2));
  await lookout.sync();
  const { queues, clock } = lookout.ports;
  const evaluated: string[] = [];
  Object.assign(queues, {
    send: (sendings: Parameters<typeof queues.send>[0]) => {
      for (const { command } of sendings)
        if (command.name === "EvaluateWorkload")
          evaluated.push(`${command.workload.namespace}/${command.workload.name}`);
      return Promise.resolve();
    },
  });
  const page: ImagePushed = {
    name: "ImagePushed",
    id: "p1",
    registry: host,
    repository: "shop/api",
    tag: "1.1.0",
    source: "hub",
    at: clock.now(),
    after: "prod/crowded/deployment/a",
    within: "prod/crowded/",
  };

  expect(await handleDeadLetter(page, { why: "simulated" }, lookout.ports)).toEqual({ kind: "retried" });
  expect(evaluated).toEqual(["crowded/b", "crowded/c"]);
});
