import { describe, expect, it } from "vitest";
import { digests } from "../views.ts";
import { lines, lookout } from "../world.ts";

describe("lookout push", () => {
  const what = "POST /v1/demo/push";
  const answers = { [what]: { status: 202, body: { image: "registry.demo/shop/api:1.3.0", digest: digests.new } } };

  it.each(["shop/api:1.3.0", "registry.demo/shop/api:1.3.0"])("pushes %s to the demo's registry", async (image) => {
    const { stdout, asked } = await lookout(["push", image], answers);

    expect({ stdout, asked: asked.map(({ body }) => body) }).toEqual({
      stdout: lines("✓ pushed registry.demo/shop/api:1.3.0 @ 4d5e6f708192", "  To see its update:  lookout status"),
      asked: [{ image: "shop/api:1.3.0" }],
    });
  });

  it("pushes an image that can't start", async () => {
    const { asked } = await lookout(["push", "shop/api:1.3.0", "--broken"], answers);

    expect(asked.map(({ body }) => body)).toEqual([{ image: "shop/api:1.3.0", broken: true }]);
  });

  it.each(["shop/api", "shop/api:", `shop/api:1@${digests.new}`, "Shop/api:1", ""])("rejects %j", async (image) => {
    expect(await lookout(["push", image], answers)).toMatchObject({
      exitCode: 2,
      stderr: lines(`✗ "${image}" is not an image to push: expected path:tag.`, "  For example: shop/api:1.3.0"),
      asked: [],
    });
  });

  it("reports a server without the demo", async () => {
    expect(await lookout(["push", "shop/api:1.3.0"], {})).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: lines(
        "✗ This Lookout is not the demo, so it has no registry.",
        "  Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER.",
        "  Push to your own registry with your own tools. The registry notifies Lookout.",
      ),
    });
  });
});
