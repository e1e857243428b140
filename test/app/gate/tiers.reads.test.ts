import { expect, it } from "vitest";
import { epochMs, minutes } from "#domain/shared/time";
import type { RanImage, TierMember } from "#domain/tiers/member";
import { members, tagOf, tier, tiered } from "./tiered.ts";

/** What one query of DynamoDB returns at most. */
const pageBytes = 1_048_576;
/** The images that a busy member keeps. */
const imagesOfBusy = 7;

/** A member of a large group that ran an image, and earlier ones of the same container. */
function busyMember(name: string, of: string, image: Pick<RanImage, "imageName" | "digest" | "tag">): TierMember {
  const container = { list: "containers", name: "web", imageName: image.imageName } as const;
  const images = Array.from({ length: imagesOfBusy }, (_, age): RanImage => {
    const digest = `sha256:${String(age).padStart(64, "a")}`;
    const one = age === 0 ? image : { digest, tag: `0.9.${String(imagesOfBusy - age)}` };
    return { ...container, tag: one.tag, digest: one.digest, foundAt: epochMs(age), at: epochMs(age) };
  });
  return {
    ...{ group: "web", tier: of, ran: images, halted: [] },
    workload: { cluster: "prod", namespace: `shop-${name}`, kind: "Deployment", name: "web" },
    containers: [{ ...container, tag: image.tag, digest: image.digest }],
  };
}

it("a group of 2,000 members in two tiers takes at most 12 reads of tiers for an update", async () => {
  const lookout = tiered([tier("dev", { soak: minutes(1) }), tier("prod")]);
  const own = await members(lookout, ["dev", "prod-1", "prod-2", "prod-3", "prod-4"]);
  // An update that came before, so that Lookout knows the digests that run.
  await lookout.push("shop/web", "1.0.1");
  await lookout.pass(minutes(4));
  const digest = await lookout.push("shop/web", "1.1.0", { quietly: true });
  const image = { imageName: "registry.test/shop/web", digest, tag: "1.1.0" } as const;
  const others = ["dev", "prod"].flatMap((of) =>
    Array.from({ length: 997 }, (_, index) => busyMember(`${of}-other-${String(index)}`, of, image)),
  );
  lookout.gatherChanges();
  const { tierMembers } = lookout.ports;
  let reads = 0;
  Object.assign(lookout.ports, {
    tierMembers: {
      async list(place: { readonly group: string; readonly tier: string }) {
        const all = [...(await tierMembers.list(place)), ...others.filter((one) => one.tier === place.tier)];
        reads += Math.max(1, Math.ceil(JSON.stringify(all).length / pageBytes));
        return all;
      },
      read: (...asked: Parameters<typeof tierMembers.read>) => {
        reads += 1;
        return tierMembers.read(...asked);
      },
    },
  });
  await lookout.tellAgain("shop/web", "1.1.0");
  await lookout.pass(minutes(4));

  expect(own.map((key) => tagOf(lookout, key))).toEqual(own.map(() => "1.1.0"));
  expect(reads).toBeGreaterThan(own.length);
  expect(reads / own.length).toBeLessThanOrEqual(12);
});
