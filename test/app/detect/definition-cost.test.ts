import { expect, it } from "vitest";
import type { ClusterState } from "#ports/cluster-states";
import type { Definitions } from "#ports/definitions";
import type { WorkloadStore } from "#ports/store";
import type { World } from "../world.ts";
import { apply, conditions, declared, deploy, messages, passMinutes, web } from "./image-policy-world.ts";

/** Counts what a sync reads and writes of the table because of definitions, by the calls of ports. */
function counting({ ports: { definitions, store, clusterStates } }: World) {
  const counts = { listsOfDefinitions: 0, records: 0, indexes: 0, definitions: 0, states: 0 };
  const kept = { definitions: { ...definitions }, store: { ...store }, states: { ...clusterStates } };
  Object.assign(definitions, {
    list: (cluster: string) => {
      counts.listsOfDefinitions += 1;
      return kept.definitions.list(cluster);
    },
    put: (...given: Parameters<Definitions["put"]>) => {
      counts.definitions += given[0].length;
      return kept.definitions.put(...given);
    },
  });
  Object.assign(store, {
    readMany: (...given: Parameters<WorkloadStore["readMany"]>) => {
      counts.records += new Set(given[0]).size;
      return kept.store.readMany(...given);
    },
    workloadIndex: (cluster: string) => {
      counts.indexes += 1;
      return kept.store.workloadIndex(cluster);
    },
  });
  Object.assign(clusterStates, {
    write: (state: ClusterState) => {
      counts.states += 1;
      return kept.states.write(state);
    },
  });
  return counts;
}

function deployMany(lookout: World, count: number, annotations: Record<string, string> = {}): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `web-${String(index)}`;
    const template = { spec: { containers: [{ name: "app", image: `${web}:1.0.0` }] } };
    const metadata = { namespace: "shop", name, annotations };
    lookout.cluster.apply({ kind: "Deployment", metadata, spec: { replicas: 1, template } });
    return name;
  });
}

it("a quiet sync of 100 ImagePolicies lists the definitions once, reads each record once, and writes none", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  for (const name of deployMany(lookout, 100)) apply(lookout, { name, target: name });
  await passMinutes(lookout, 3);
  expect(conditions(lookout, "web-99")).toEqual(["Ready=True Applies", "UpToDate=True UpToDate"]);
  const counts = counting(lookout);
  await passMinutes(lookout, 1);

  expect(counts).toEqual({ listsOfDefinitions: 1, records: 100, indexes: 0, definitions: 0, states: 1 });
});

it("a quiet sync of a ServiceImage reads each of its 100 workloads once, and writes none", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const annotations = { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image" };
  deployMany(lookout, 100, annotations);
  const spec = { defaultImage: `${web}:1.0.0` };
  lookout.cluster.definitionObjects.apply("ServiceImage", { namespace: "shop", name: "web" }, spec);
  await passMinutes(lookout, 4);
  expect(conditions(lookout)).toContain("Complete=True Complete");
  const counts = counting(lookout);
  await passMinutes(lookout, 1);

  expect(counts).toEqual({ listsOfDefinitions: 1, records: 100, indexes: 1, definitions: 0, states: 1 });
});

it("definitions without a CustomResourceDefinition cost a sync one read of the table", async () => {
  const lookout = declared();
  for (const kind of ["ImagePolicy", "ServiceImage", "ImageRegistry"] as const)
    lookout.cluster.definitionObjects.uninstall(kind);
  await passMinutes(lookout, 2);
  const counts = counting(lookout);
  await passMinutes(lookout, 1);

  expect(counts).toEqual({ listsOfDefinitions: 1, records: 0, indexes: 0, definitions: 0, states: 1 });
});

it("an update asks four times for the definitions about its workload", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const key = deploy(lookout);
  apply(lookout);
  await passMinutes(lookout, 3);
  const { definitions } = lookout.ports;
  const about = definitions.about.bind(definitions);
  let reads = 0;
  Object.assign(definitions, {
    about: (...given: Parameters<typeof about>) => ((reads += 1), about(...given)),
  });
  await lookout.push("shop/web", "1.1.0");
  await passMinutes(lookout, 2);

  expect(lookout.image(key)).toContain(":1.1.0@");
  expect(reads).toBe(4);
});

it("100 new patterns of a namespace are compiled by one sync, each once, and the others close their targets", async () => {
  const lookout = declared();
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  const compile = await lookout.ports.patterns.compiler();
  let compiled = 0;
  Object.assign(lookout.ports.patterns, {
    compiler: () => Promise.resolve((text: string) => ((compiled += 1), compile(text))),
  });
  for (let index = 0; index < 150; index += 1)
    apply(lookout, { name: `p-${String(index)}`, pattern: `1\\.${String(index)}`, target: "none" });
  const key = deploy(lookout);
  apply(lookout, { pattern: "1\\..*" });
  const last = () => conditions(lookout)[0];
  await lookout.sync();
  const first = { compiled, last: last(), message: messages(lookout)[0] };
  await passMinutes(lookout, 2);
  const both = last();
  compiled = 0;
  await lookout.sync();

  expect(first).toEqual({
    ...{ compiled: 100, last: "Ready=False PatternNotRead" },
    message:
      'spec.tagPolicy.pattern "1\\\\..*": is read by one of the next syncs, because many patterns changed at once',
  });
  expect(both).toBe("Ready=True Applies");
  expect((await lookout.record(key)).tracked).toBe(true);
  expect(compiled).toBe(0);
});
