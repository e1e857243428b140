import { expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { Ports } from "#app/shared/ports";
import type { Cluster } from "#ports/cluster";
import { clusterWatches } from "#runtime/local/watch";
import { clustersOf } from "#runtime/local/world";
import { stateInMemory } from "#test/state";
import { demoShell } from "./demo-shell.ts";

it("a new configuration watches added and reopened clusters, and ends the watches of others", async () => {
  const stopped = new AbortController();
  const told: string[] = [];
  const clusterNamed = (name: string): Cluster => ({
    ...demoShell().demo.clusters.cluster("demo")!,
    watch: (_, signal) =>
      new Promise((resolve) => {
        told.push(`watch ${name}`);
        signal.addEventListener("abort", () => {
          told.push(`end ${name}`);
          resolve();
        });
      }),
  });
  const [kept, removed, added, reopened] = ["kept", "removed", "added", "reopened"].map(clusterNamed) as [
    Cluster,
    Cluster,
    Cluster,
    Cluster,
  ];
  const { shell } = demoShell();
  const clock = { now: () => epochMs(0) };
  const of = (clusters: Readonly<Record<string, Cluster>>): Ports => ({
    ...shell.ports,
    ...stateInMemory(),
    clock,
    clusters: clustersOf(new Map(Object.entries(clusters))),
  });
  const watches = clusterWatches(stopped.signal, shell.log);

  watches.follow(of({ a: kept, b: removed, c: added }));
  told.push("new configuration");
  watches.follow(of({ a: kept, c: reopened, d: added }));
  await Promise.resolve();
  told.push("stop");
  stopped.abort();
  await watches.ended();

  expect(told).toEqual([
    ...["watch kept", "watch removed", "watch added", "new configuration"],
    ...["end removed", "end added", "watch reopened", "watch added", "stop"],
    ...["end kept", "end reopened", "end added"],
  ]);
});
