import { expect, it } from "vitest";
import { importState } from "#app/api/transfer";
import { ClusterRequest } from "#contracts/api/clusters";
import { worldWithApi } from "../world.ts";

const eks = { name: "prod-1", endpoint: "https://evil.test", certificateAuthority: "AAAA" };

it("registers no cluster at an address that the caller names", () => {
  const asked = ClusterRequest.safeParse({ name: "prod", eks, by: "mallory" });
  expect(asked.error?.issues).toMatchObject([
    { path: ["eks"], message: expect.stringContaining("Lookout reads the address from EKS") as unknown },
  ]);
  expect(ClusterRequest.safeParse({ name: "prod", eks: { name: "prod-1" }, by: "ana" }).success).toBe(true);
});

it("imports no cluster at an address that the export names", async () => {
  const world = await worldWithApi();
  const installation = await world.ports.store.readInstallation();
  const header = {
    lookout: "export",
    schemaVersion: 6,
    installation,
    version: "1",
    clusters: [],
    at: "2026-11-21T10:00:00Z",
  } as const;
  const row = { items: [{ kind: "registration", form: 1, value: { name: "prod", eks, by: "mallory", at: 1 } }] };
  const imported = await importState({ header, firstLine: 2, rows: [row] }, world.ports);
  expect(imported).toMatchObject({
    kind: "bad-line",
    detail: expect.stringContaining("Lookout reads the address from EKS") as unknown,
  });
  expect(await world.ports.registrations.list()).toEqual([]);
});
