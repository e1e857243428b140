import { beforeEach, describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";

let lookout: World;
beforeEach(async () => {
  lookout = await worldWithApi();
});

const annotations = () => lookout.cluster.object(api)?.metadata.annotations ?? {};
const status = () =>
  Object.fromEntries(
    Object.entries(annotations()).flatMap(([key, value]) =>
      key.startsWith("lookout.dev/status.") && !key.endsWith("last-update")
        ? [[key.slice("lookout.dev/status.".length), value] as const]
        : [],
    ),
  );
const written = (text: string) => `app=${host}/shop/api:${text}`;

describe("an updated object", () => {
  it("shows the previous and the present image, and the number of updates", async () => {
    await trackApi(lookout);
    const first = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    const second = await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(1));

    expect(status()).toEqual({
      "previous-image": written(`1.1.0@${first}`),
      "current-image": written(`1.2.0@${second}`),
      "update-count": "2",
    });
  });

  it("shows the failed image as the previous one after a rollback, and counts the update once", async () => {
    await trackApi(lookout);
    const broken = await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(minutes(5));

    expect(status()).toEqual({
      "previous-image": written(`1.1.0@${broken}`),
      "current-image": written("1.0.0"),
      "update-count": "1",
    });
  });

  it("shows the groups of its tag, also after a rollback", async () => {
    await lookout.push("shop/api", "pr-1-aa", { quietly: true });
    const image = `${host}/shop/api:pr-1-aa`;
    const pattern = { "lookout.dev/policy": "regex", "lookout.dev/tag-pattern": "^pr-(?P<pr>\\d+)-(?P<sha1>\\w+)$" };
    await trackApi(lookout, pattern, { image });
    await lookout.push("shop/api", "pr-2-bb");
    await lookout.pass(minutes(1));
    expect(status()).toMatchObject({ "attribute.pr": "2", "attribute.sha1": "bb" });

    await lookout.push("shop/api", "pr-3-cc", { broken: true });
    await lookout.pass(minutes(5));
    expect(status()).toMatchObject({ "attribute.pr": "2", "attribute.sha1": "bb", "update-count": "2" });
  });

  it("loses the annotation of an available update with the patch", async () => {
    await trackApi(lookout);
    lookout.cluster.annotate(api, { "lookout.dev/status.available-update": "1.1.0" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));

    expect(status()).not.toHaveProperty("available-update");
  });
});
