import { beforeEach, expect, it } from "vitest";
import type { Registration, Registrations } from "#ports/registrations";
import { start } from "./records.ts";

const prod: Registration = {
  name: "prod",
  eks: {
    name: "prod-1",
    region: "eu-central-1",
    roleArn: "arn:aws:iam::123456789012:role/lookout",
  },
  namespaces: { allow: ["shop"], deny: ["pay"] },
  by: "ana",
  at: start,
};
const named = (name: string): Registration => ({ name, eks: { name }, by: "ben", at: start });

/** What every list of registered clusters does, whatever keeps it. */
export function registrationsContract(make: () => Promise<Registrations>): void {
  let registrations: Registrations;
  beforeEach(async () => {
    registrations = await make();
  });

  it("the list of registered clusters is empty at first", async () => {
    expect(await registrations.list()).toEqual([]);
    expect(await registrations.remove("prod")).toBe(false);
  });

  it("registered clusters are listed by name with all their data", async () => {
    for (const registration of [named("stage"), prod, named("dev")])
      expect(await registrations.put(registration)).toBe(true);

    expect(await registrations.list()).toEqual([named("dev"), prod, named("stage")]);
  });

  it("a registered name is not given twice, and keeps its cluster", async () => {
    await registrations.put(prod);

    expect(await registrations.put(named("prod"))).toBe(false);
    expect(await registrations.list()).toEqual([prod]);
  });

  it("a repeated registration is accepted", async () => {
    await registrations.put(prod);

    expect(await registrations.put(prod)).toBe(true);
  });

  it("of two clusters with one name, one is registered", async () => {
    const put = await Promise.all([registrations.put(prod), registrations.put(named("prod"))]);

    expect(put.toSorted()).toEqual([false, true]);
  });

  it("a removed cluster is removed once, and frees its name", async () => {
    await registrations.put(prod);
    await registrations.put(named("stage"));

    expect([await registrations.remove("prod"), await registrations.remove("prod")]).toEqual([true, false]);
    expect(await registrations.list()).toEqual([named("stage")]);
    expect(await registrations.put(named("prod"))).toBe(true);
  });
}
