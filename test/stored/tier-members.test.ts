import { describe, expect, it } from "vitest";
import { storedTierMembers } from "#stored/tier-members";
import type { Item } from "#ports/items";
import type { UnreadableItem } from "#ports/unreadable-items";

const key = { pk: "TIER#shop/web", sk: "dev#prod/shop/deployment/api" };
const newer = { ...key, form: 99, value: {} };
const damaged = { ...key, form: 1, value: { group: "shop/web" } };
const moved = { ...key, sk: "dev#prod/shop/deployment/other", form: 1 };

describe("a member of a tier that can't be read", () => {
  it.each([
    ["a newer Lookout wrote it", newer],
    ["it is damaged", damaged],
    ["it is of another place", { ...moved, value: { ...damaged.value, tier: "dev" } }],
  ])("counts as one that has run nothing, so its tier stays closed: %s", async (_, item: Item) => {
    const unreadable: UnreadableItem[] = [];
    const items = { query: async () => [item], get: async () => item } as never;
    const members = storedTierMembers({ items, onUnreadable: (one) => void unreadable.push(one) });
    const place = { group: "shop/web", tier: "dev" };
    const name = item.sk.split("/").at(-1);
    const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name };
    const closed = { ...place, workload, containers: [], ran: [], halted: [], isUnreadable: true };

    expect(await members.list(place)).toEqual([closed]);
    expect(await members.read(place, item.sk.slice(4))).toEqual(closed);
    expect(unreadable.map(({ kind }) => kind)).toEqual(["member of a tier", "member of a tier"]);
  });
});
