import { describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

describe("lookout image parse", () => {
  it("splits references into their parts", async () => {
    const { stdout, exitCode } = await lookout(["image", "parse", "nginx", "ghcr.io/owner/app:1.2"], {});

    expect(stdout).toBe(
      lines(
        "REGISTRY    REPOSITORY      TAG   DIGEST",
        "docker.io   library/nginx   –     –",
        "ghcr.io     owner/app       1.2   –",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it("prints their canonical names", async () => {
    expect((await lookout(["image", "parse", "nginx:1", "a/b", "-o", "name"], {})).stdout).toBe(
      lines("docker.io/library/nginx:1", "docker.io/a/b"),
    );
  });

  it("reports an invalid reference", async () => {
    expect(await lookout(["image", "parse", "nginx", "Nginx:1"], {})).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: lines('✗ "Nginx:1": not an image reference: character 1: the repository must be in lower case.'),
    });
    expect(await lookout(["image", "parse"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines("✗ An image is missing: add one, for example nginx:1.27."),
    });
  });
});
