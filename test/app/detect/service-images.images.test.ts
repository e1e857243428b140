import { expect, it } from "vitest";
import { minutes, plus, seconds } from "#domain/shared/time";
import { host, type World } from "../world.ts";
import {
  apply,
  conditions,
  deploy,
  passMinutes,
  silence,
  started,
  statusOf,
  tagOf,
  tiersWith,
} from "./service-image-world.ts";

const side = (n: number) => [{ name: "side", image: `${host}/side:v${n}` }];
const isPlaced = async (lookout: World) => (await lookout.ports.definitions.list("prod"))[0]?.isPlaced === true;

const completeOf = (lookout: World) => conditions(statusOf(lookout))["Complete"];

it("opens its lower tiers soon after a late evaluation", async () => {
  const lookout = await started("v2");
  const digest = await lookout.push("dicom", "v1", { quietly: true });
  deploy(lookout, "e", "earlyAccess");
  deploy(lookout, "a");
  apply(lookout, tiersWith("v1"));
  await passMinutes(lookout, 15);
  deploy(lookout, "a", undefined, {}, [], `v1@${digest}`);
  // The evaluation is stored after the sync of the next minute began.
  silence(lookout, "a", plus(lookout.clock.now(), seconds(75)));
  await passMinutes(lookout, 1);
  expect([await isPlaced(lookout), completeOf(lookout)]).toEqual([false, "Unknown Evaluating"]);
  await passMinutes(lookout, 4);
  expect([await isPlaced(lookout), completeOf(lookout)]).toEqual([true, "True Complete"]);
});

it("brings its image while a pipeline changes another container of one member each minute", async () => {
  const lookout = await started("v2");
  deploy(lookout, "e", "earlyAccess", {}, side(1));
  const members = Array.from({ length: 30 }, (_, index) =>
    deploy(lookout, `m${String(index)}`, undefined, {}, side(1)),
  );
  apply(lookout, tiersWith("v1"));
  await passMinutes(lookout, 15);
  apply(lookout, tiersWith("v2"));
  for (let minute = 0; minute < 25; minute += 1) {
    deploy(lookout, `m${String(minute)}`, undefined, {}, side(2));
    await lookout.sync();
    await lookout.pass(minutes(1));
  }
  expect(members.filter((key) => tagOf(lookout, key) === "v2").length).toBeGreaterThan(0);
});

it("evaluates one workload after a change of another container of one of 30", async () => {
  const lookout = await started("v2");
  deploy(lookout, "e", "earlyAccess", {}, side(1));
  for (let index = 0; index < 30; index += 1) deploy(lookout, `m${String(index)}`, undefined, {}, side(1));
  apply(lookout, tiersWith("v1"));
  await passMinutes(lookout, 15);
  const counts = { read: 0, complete: 0, pods: 0 };
  const { cluster } = lookout;
  const [read, list, pods] = [
    cluster.read.bind(cluster),
    cluster.list.bind(cluster),
    cluster.runningImages.bind(cluster),
  ];
  Object.assign(cluster, {
    read: (...given: Parameters<typeof read>) => ((counts.read += 1), read(...given)),
    runningImages: (...given: Parameters<typeof pods>) => ((counts.pods += 1), pods(...given)),
    list: async (...given: Parameters<typeof list>) => {
      const listed = await list(...given);
      if (listed.kind === "workloads" && listed.complete) counts.complete += 1;
      return listed;
    },
  });
  await passMinutes(lookout, 5);
  expect(counts).toEqual({ read: 0, complete: 0, pods: 0 });
  deploy(lookout, "m3", undefined, {}, side(2));
  await passMinutes(lookout, 5);
  expect(counts).toEqual({ read: 1, complete: 0, pods: 1 });
});

it("opens its lower tiers beside a suspended workload with more containers than a record stores", async () => {
  const lookout = await started("v2");
  deploy(lookout, "e", "earlyAccess");
  const other = deploy(lookout, "b");
  deploy(
    lookout,
    "a",
    undefined,
    { "lookout.dev/suspend": "true" },
    Array.from({ length: 205 }, (_, i) => ({ name: `c${i}`, image: `${host}/x:v1` })),
  );
  apply(lookout, tiersWith("v1"));
  await passMinutes(lookout, 15);
  apply(lookout, tiersWith("v2"));
  await passMinutes(lookout, 60);
  expect([await isPlaced(lookout), tagOf(lookout, other)]).toEqual([true, "v2"]);
});
